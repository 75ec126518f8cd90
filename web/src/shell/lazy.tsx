/** A page that is fetched when it is first opened, so that the first load stays small. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Loading } from "../ui/loading";

type Load = () => Promise<{ default: ComponentType }>;

export function lazy(load: Load): ComponentType {
  let loaded: ComponentType | null = null;
  return function Lazy() {
    const [, arrived] = useState(false);
    const [failed, setFailed] = useState(false);
    const fetch = () => {
      setFailed(false);
      load().then(
        (module) => {
          loaded = module.default;
          arrived(true);
        },
        () => setFailed(true),
      );
    };
    useEffect(fetch, []);
    if (loaded !== null) {
      const Page = loaded;
      return <Page />;
    }
    return failed ? <Unloaded retry={fetch} /> : <Loading />;
  };
}

function Unloaded({ retry }: { retry: () => void }) {
  return (
    <main class="centred">
      <Empty title="This page could not be loaded">
        <p>The server cannot be reached. Is it still running?</p>
        <Button onClick={retry}>Try again</Button>
      </Empty>
    </main>
  );
}
