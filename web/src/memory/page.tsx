import { Page } from "../shell/page";
import { Empty } from "../ui/empty";

export default function MemoryPage() {
  return (
    <Page title="What it knows about me">
      <Empty title="Nothing here yet" />
    </Page>
  );
}
