/** A page that is loaded when it is first opened, to keep the first load small. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getMe } from "../api/memory";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Loading } from "../ui/loading";
import { complain } from "../ui/toast";

type Load = () => Promise<{ default: ComponentType }>;

export function lazy(load: Load): ComponentType {
  let loaded: ComponentType | null = null;
  return function Lazy() {
    const [, arrived] = useState(false);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      load().then(
        (module) => {
          loaded = module.default;
          arrived(true);
        },
        () => setFailed(true),
      );
    }, []);
    if (loaded !== null) {
      const Page = loaded;
      return <Page />;
    }
    return failed ? <Unloaded /> : <Loading />;
  };
}

/** A browser caches a failed module load, so the whole page is reloaded once the server is reachable. */
function Unloaded() {
  const retry = () => getMe().then(() => location.reload(), complain);
  return (
    <main class="centred">
      <Empty title="This page could not be loaded">
        <p>The server cannot be reached. Is it still running?</p>
        <Button onClick={() => void retry()}>Try again</Button>
      </Empty>
    </main>
  );
}
