import { IconButton } from "../ui/button";
import { bytes, count } from "../ui/format";
import { CheckIcon, CloseIcon, WarningIcon } from "../ui/icons";
import { dismiss, type Upload, uploads } from "./uploads";

export function UploadList() {
  return (
    <ul class="uploads" aria-label="Uploads" aria-live="polite">
      {uploads.value.map((upload) => (
        <li key={upload.id} class={`upload ${upload.state}`}>
          <Sign state={upload.state} />
          <span class="upload-name">{upload.file.name}</span>
          <span class="upload-state">{said(upload)}</span>
          {upload.state !== "reading" && (
            <IconButton
              class="small"
              label={`Clear “${upload.file.name}” from this list`}
              icon={<CloseIcon />}
              onClick={() => dismiss(upload.id)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function Sign({ state }: { state: Upload["state"] }) {
  switch (state) {
    case "waiting":
      return <span class="upload-dot" aria-hidden="true" />;
    case "reading":
      return <span class="spinner" aria-hidden="true" />;
    case "done":
      return <CheckIcon />;
    case "failed":
      return <WarningIcon />;
  }
}

function said({ state, file, made, problem }: Upload): string {
  switch (state) {
    case "waiting":
      return `waiting, ${bytes(file.size)}`;
    case "reading":
      return `reading ${bytes(file.size)}…`;
    case "done":
      return made ? `read: ${count(made.chunks, "piece")}` : "read";
    case "failed":
      return problem ?? "failed";
  }
}
