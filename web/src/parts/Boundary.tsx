import { Component, type ReactNode } from "react";
import { Trouble } from "./Trouble";

/** What goes wrong in a part of the page costs that part. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render() {
    return this.state.error ? (
      <Trouble error={this.state.error} onRetry={() => this.setState({ error: null })} />
    ) : (
      this.props.children
    );
  }
}
