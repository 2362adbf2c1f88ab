import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

configure({ asyncUtilTimeout: 20_000 }); // a machine with much else to do is no fault of the page
afterEach(cleanup);
