import { Component, type ReactNode } from "react";
import { Trouble } from "./Trouble";

interface Props {
  children: ReactNode;
  /** What stands around the words of what went wrong. */
  around?: (trouble: ReactNode) => ReactNode;
}

/** What goes wrong in a part of the page costs that part. */
export class Boundary extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    const { children, around = (trouble) => trouble } = this.props;
    const { error } = this.state;
    return error ? around(<Trouble error={error} onRetry={() => this.setState({ error: null })} />) : children;
  }
}
