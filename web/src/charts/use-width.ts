import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Returns the width of an element, so that its content is drawn in real pixels. */
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
