/** Settings, import, export, retention and API keys. */
import "../style/pages.css";
import "../style/settings.css";
import { Page } from "../shell/page";
import { me } from "../state/me";
import { About } from "./about";
import { Export } from "./export";
import { Import } from "./import";
import { Keys } from "./keys";
import { Appearance, MemoryUse } from "./preferences";
import { Retention } from "./retention";

export default function SettingsPage() {
  const admin = me.value?.scopes.includes("admin") ?? false;
  return (
    <Page title="Settings and data">
      <MemoryUse />
      <Appearance />
      <Import />
      <Export />
      {admin && <Retention />}
      {admin && <Keys />}
      <About />
    </Page>
  );
}
