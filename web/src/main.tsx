import "./style/index.css";
import { render } from "preact";
import { followLinks } from "./router";
import { App } from "./shell/app";

followLinks();
render(<App />, document.getElementById("app")!);
