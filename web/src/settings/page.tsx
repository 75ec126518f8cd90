import { Page } from "../shell/page";
import { Empty } from "../ui/empty";

export default function SettingsPage() {
  return (
    <Page title="Settings and data">
      <Empty title="Nothing here yet" />
    </Page>
  );
}
