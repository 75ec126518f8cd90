import { Page } from "../shell/page";
import { Empty } from "../ui/empty";

export default function ChartsPage() {
  return (
    <Page title="Charts">
      <Empty title="Nothing here yet" />
    </Page>
  );
}
