export function SearchDialog() {
  return null;
}
