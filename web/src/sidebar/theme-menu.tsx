import { type Theme, theme } from "../state/preferences";
import { MoonIcon, SunIcon } from "../ui/icons";
import { Menu } from "../ui/menu";

const CHOICES: [Theme, string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function ThemeMenu() {
  const items = CHOICES.map(([choice, label]) => ({
    label,
    checked: theme.value === choice,
    onSelect: () => {
      theme.value = choice;
    },
  }));
  return <Menu label="Theme" icon={theme.value === "dark" ? <MoonIcon /> : <SunIcon />} items={items} />;
}
