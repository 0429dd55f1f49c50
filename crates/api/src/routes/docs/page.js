// What is authorised is forgotten with the page: credentials are kept nowhere.
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});

// Swagger UI gives some controls no name that a screen reader could say, and puts a link into a button, which no keyboard
// gets at. It draws them again and again, so they are looked at whenever something was drawn.
const page = document.getElementById('swagger-ui');

function parameter(control) {
  const row = control.closest('tr[data-param-name]');
  return row ? row.dataset.paramName : 'Value';
}

const NAMES = [
  ['#servers', () => 'Server'],
  ['.operation-filter-input', () => 'Filter by tag'],
  ['.body-param__text', () => 'Request body'],
  ['.parameters-col_description select', parameter],
  ['.parameters-col_description input', parameter],
  ['.copy-to-clipboard button', () => 'Copy'],
  ['.close-modal', () => 'Close'],
  ['select.content-type', () => 'Media type'],
  ['table.responses-table', (table) => table.id || 'Responses'],
];

function name() {
  for (const [controls, nameOf] of NAMES) {
    for (const control of page.querySelectorAll(controls)) {
      if (!control.hasAttribute('aria-label')) control.setAttribute('aria-label', nameOf(control));
    }
  }
  // Their text says it better.
  for (const button of page.querySelectorAll('.auth-btn-wrapper button[aria-label]')) button.removeAttribute('aria-label');
  for (const example of page.querySelectorAll('pre.microlight:not([tabindex])')) example.tabIndex = 0;
  // The button around it goes where the link goes.
  for (const link of page.querySelectorAll('.opblock-summary-control a[href]')) link.removeAttribute('href');
}

new MutationObserver(name).observe(page, { childList: true, subtree: true, attributes: true, attributeFilter: ['href', 'aria-label'] });
name();
