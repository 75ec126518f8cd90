import type { MemoryMode } from "../api/types";
import { memoryMode, type Theme, theme } from "../state/preferences";
import { Choice } from "../ui/choice";
import { Section } from "../ui/section";

const MODES: { value: MemoryMode; label: string; hint: string }[] = [
  { value: "on", label: "On", hint: "What is said is remembered, and answers may draw on it." },
  { value: "read_only", label: "Read-only", hint: "Answers may draw on it, but what is said is not remembered elsewhere." },
  { value: "off", label: "Off", hint: "Answers know nothing of other conversations, and these nothing of it." },
];

export function MemoryUse() {
  return (
    <Section title="Memory" hint="How your chats in this browser use the memory, from the next message.">
      <Choice label="Memory" options={MODES} value={memoryMode.value} onChoose={(mode) => (memoryMode.value = mode)} />
    </Section>
  );
}

const THEMES: { value: Theme; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function Appearance() {
  return (
    <Section title="Appearance">
      <Choice row label="Theme" options={THEMES} value={theme.value} onChoose={(choice) => (theme.value = choice)} />
    </Section>
  );
}
