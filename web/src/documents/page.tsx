import { Page } from "../shell/page";
import { Empty } from "../ui/empty";

export default function DocumentsPage() {
  return (
    <Page title="Documents">
      <Empty title="Nothing here yet" />
    </Page>
  );
}
