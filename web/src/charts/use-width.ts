import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** How wide an element is, so that what is drawn in it is drawn in real pixels. */
export function useWidth<Kind extends HTMLElement>() {
  const element = useRef<Kind>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) {
      return;
    }
    setWidth(box.clientWidth);
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
