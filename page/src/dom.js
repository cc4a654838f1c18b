// Elements made without ever parsing text as HTML: what a model contains stays text.

const SVG = 'http://www.w3.org/2000/svg';

// el('button', { class: 'x', text: 'Go', onclick: f, 'aria-label': 'go' }, child, …)
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'text') node.textContent = value;
    else if (name === 'class') node.className = value;
    else if (name === 'value' || name === 'checked' || name === 'disabled') node[name] = value;
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

// A stroked icon on a 16 by 16 grid.
export function icon(path) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'icon');
  const p = document.createElementNS(SVG, 'path');
  p.setAttribute('d', path);
  svg.append(p);
  return svg;
}

export const ICONS = {
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  left: 'M10 3L5 8l5 5',
  right: 'M6 3l5 5-5 5',
  play: 'M5 3l8 5-8 5z',
  pause: 'M5 3v10M11 3v10',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  move: 'M8 1.5v13M1.5 8h13M6 3.5l2-2 2 2M6 12.5l2 2 2-2M3.5 6l-2 2 2 2M12.5 6l2 2-2 2',
  zoom: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14M7 5v4M5 7h4',
};

export function button(label, path, onclick, props = {}) {
  return el('button', { type: 'button', class: 'tool', 'aria-label': label, title: label, onclick, ...props },
    path ? icon(path) : label);
}

export function select(label, options, value, onchange) {
  const node = el('select', { 'aria-label': label, onchange: () => onchange(node.value) },
    options.map(([key, text]) => el('option', { value: key, text })));
  node.value = value;
  return node;
}

// A section of the page with a heading; `id` is what the navigation points to.
export function section(id, title, ...children) {
  const heading = el('h2', { id: `${id}-title`, text: title });
  const head = el('div', { class: 'head' }, heading);
  const node = el('section', { id, class: 'card', 'aria-labelledby': `${id}-title` }, head, ...children);
  return { node, head };
}

// Calls at most once for each frame of the screen.
export function coalesce(fn) {
  let due = 0;
  return () => {
    if (due) return;
    due = requestAnimationFrame(() => {
      due = 0;
      fn();
    });
  };
}

// Is the key meant for a control that has its own use of it?
export function typing(event) {
  const t = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return t instanceof HTMLElement && t.closest('input, select, textarea, [role=grid], summary') !== null;
}
