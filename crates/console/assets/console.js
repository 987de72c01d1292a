// Enters with the key of the link, then lists the runs.
const stored = 'piton-console';
const api = (path, options = {}) =>
  fetch(`/api/v1${path}`, { ...options, headers: { 'Piton-Console': localStorage.getItem(stored) ?? '', ...options.headers } });
const app = document.getElementById('app');
const key = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
if (key) {
  const body = JSON.stringify({ key });
  const reply = await api('/enter', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const said = await reply.json();
  if (reply.ok) localStorage.setItem(stored, said.secret);
  else app.textContent = `${said.message} ${said.suggestion}`;
}
const reply = await api('/sessions');
const said = await reply.json();
app.textContent = reply.ok ? said.runs.map((run) => `${run.label} ${run.title}`).join('\n') : `${said.message} ${said.suggestion}`;
