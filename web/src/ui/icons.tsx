/** The page's pictograms, drawn on a grid of 16. Decorative only: their meaning is always given as text. */

function drawn(path: string, line = 1.5) {
  return function Icon() {
    return (
      <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path
          d={path}
          fill="none"
          stroke="currentColor"
          stroke-width={line}
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
    );
  };
}

export const ArchiveIcon = drawn("M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3");
export const ArrowDownIcon = drawn("M8 3v10m-4-4 4 4 4-4");
export const BranchIcon = drawn("M5 5v6m0-6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 6a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm6-4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 0c0 2.5-6 1.5-6 4");
export const BrainIcon = drawn("M8 3.5A2 2 0 0 0 4.2 4 2.2 2.2 0 0 0 3 8a2.2 2.2 0 0 0 1.5 3.8A2 2 0 0 0 8 12.5m0-9v9m0-9a2 2 0 0 1 3.8.5A2.2 2.2 0 0 1 13 8a2.2 2.2 0 0 1-1.5 3.8A2 2 0 0 1 8 12.5");
export const ChartIcon = drawn("M2.5 13.5h11M4.5 11V8m3.5 3V3.5m3.5 7.5V6");
export const CheckIcon = drawn("m3.5 8.5 3 3 6-7");
export const ChevronDownIcon = drawn("m4 6 4 4 4-4");
export const ChevronLeftIcon = drawn("m10 4-4 4 4 4");
export const ChevronRightIcon = drawn("m6 4 4 4-4 4");
export const ClockIcon = drawn("M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 5v3.2l2.2 1.3");
export const CloseIcon = drawn("m4 4 8 8m0-8-8 8");
export const CopyIcon = drawn("M6 6h7v7H6zM10 6V3H3v7h3");
export const DashedIcon = drawn("M8 2.5a5.5 5.5 0 0 1 2 .4m2.3 1.6a5.5 5.5 0 0 1 1 1.8m.2 3a5.5 5.5 0 0 1-1 2m-1.9 1.5a5.5 5.5 0 0 1-2 .7m-2.8-.3a5.5 5.5 0 0 1-1.8-1.2m-1.3-2a5.5 5.5 0 0 1-.2-2.2m.7-2.4a5.5 5.5 0 0 1 1.5-1.8");
export const DocumentIcon = drawn("M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4m-4 2.5h4");
export const DownloadIcon = drawn("M8 2.5v7m-3-3 3 3 3-3M3 13h10");
export const EditIcon = drawn("m3 13 .7-2.8L10.5 3.4l2.1 2.1-6.8 6.8zM9.3 4.6l2.1 2.1");
export const EyeIcon = drawn("M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z");
export const EyeOffIcon = drawn("M6 4a6.3 6.3 0 0 1 2-.5c4 0 6.5 4.5 6.5 4.5a12 12 0 0 1-1.8 2.3M10 12a6 6 0 0 1-2 .5C4 12.5 1.5 8 1.5 8a12 12 0 0 1 2-2.5M2.5 2.5l11 11");
export const GearIcon = drawn("M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0-8v1.5m0 9V14m6-6h-1.5m-9 0H2m10.2-4.2-1 1m-6.4 6.4-1 1m8.4 0-1-1M4.8 4.8l-1-1");
export const LinkIcon = drawn("M6.5 9.5l3-3m-2-2 1-1a2.5 2.5 0 0 1 4 4l-1 1m-3 3-1 1a2.5 2.5 0 0 1-4-4l1-1");
export const MenuIcon = drawn("M2.5 4.5h11m-11 3.5h11m-11 3.5h11");
export const MoonIcon = drawn("M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z");
export const MoreIcon = drawn("M3.5 8h.01M8 8h.01M12.5 8h.01", 2.2);
export const PinIcon = drawn("M6 2.5h4m-3.5 0v4L4.5 9h7l-2-2.5v-4M8 9v4.5");
export const PlusIcon = drawn("M8 3v10M3 8h10");
export const RefreshIcon = drawn("M13 8a5 5 0 1 1-1.5-3.5M13 2.5v2.5h-2.5");
export const SearchIcon = drawn("M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.3-1.2 3.2 3.2");
export const SendIcon = drawn("M8 13V3M4 7l4-4 4 4");
export const StopIcon = drawn("M4.5 4.5h7v7h-7z");
export const SunIcon = drawn("M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0-9.5V3m0 10v1.5M1.5 8H3m10 0h1.5M3.4 3.4l1 1m7.2 7.2 1 1m0-9.2-1 1m-7.2 7.2-1 1");
export const TagIcon = drawn("M2.5 2.5h5l6 6-5 5-6-6zM5.5 5.5h.01");
export const ToolIcon = drawn("M9.5 6.5a3 3 0 0 1 3.7-3.7L11.5 4.5l.5 1 1 .5 1.2-1.7a3 3 0 0 1-3.7 3.7l-5 5a1.4 1.4 0 0 1-2-2z");
export const TrashIcon = drawn("M3 4.5h10M6.5 4.5v-2h3v2m-5 0 .5 9h6l.5-9M7 7v4m2-4v4");
export const UndoIcon = drawn("M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6");
export const UploadIcon = drawn("M8 9.5v-7m-3 3 3-3 3 3M3 13h10");
export const WarningIcon = drawn("M8 2.5 14 13H2zM8 6.5v3M8 11.3v.01");
