/** The same as `jsx-runtime`, as builds for development and tests call it. */
import { Fragment, type JSX, jsx, jsxs } from "./jsx-runtime";

export { Fragment, type JSX };

export const jsxDEV = (type: Parameters<typeof jsx>[0], props: unknown, key: string | undefined, isStatic: boolean) => (isStatic ? jsxs : jsx)(type, props, key);
