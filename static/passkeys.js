// Passkeys: a form that says data-passkey is sent once the browser has made or shown one.
(() => {
  "use strict";

  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const named = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

  // What the server asks for, with its texts turned into bytes.
  const readable = (asked) => {
    const options = { ...asked, challenge: bytes(asked.challenge) };
    if (asked.user) options.user = { ...asked.user, id: bytes(asked.user.id) };
    if (asked.excludeCredentials) options.excludeCredentials = named(asked.excludeCredentials);
    if (asked.allowCredentials) options.allowCredentials = named(asked.allowCredentials);
    return options;
  };

  // What the browser answers, with its bytes turned into texts.
  const sendable = (credential) => {
    const { response } = credential;
    const said = { clientDataJSON: text(response.clientDataJSON) };
    if (response.attestationObject) {
      said.attestationObject = text(response.attestationObject);
      said.transports = response.getTransports ? response.getTransports() : [];
    } else {
      said.authenticatorData = text(response.authenticatorData);
      said.signature = text(response.signature);
      said.userHandle = response.userHandle ? text(response.userHandle) : null;
    }
    return {
      id: credential.id,
      rawId: text(credential.rawId),
      type: credential.type,
      authenticatorAttachment: credential.authenticatorAttachment,
      clientExtensionResults: credential.getClientExtensionResults(),
      response: said,
    };
  };

  const say = (form, words) => {
    const place = form.querySelector(".passkey-said");
    place.textContent = words;
    place.hidden = !words;
  };

  const go = async (form) => {
    const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
    const answer = await fetch(form.dataset.request, { method: "POST", headers: { "X-CSRFToken": token } });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const { publicKey } = await answer.json();
    const credential = await navigator.credentials[form.dataset.passkey]({ publicKey: readable(publicKey) });
    form.querySelector("[name=credential]").value = JSON.stringify(sendable(credential));
    form.submit();
  };

  // Before app.js hears of it: the first click only asks the browser, and is no form that is sent.
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-passkey]");
    if (!form) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    say(form, "");
    if (!window.PublicKeyCredential || !window.isSecureContext) return say(form, form.dataset.unable);
    const button = form.querySelector("button");
    button.disabled = true;
    go(form).catch((error) => {
      say(form, error.name === "SecurityError" ? form.dataset.unable : form.dataset.failed);
    }).finally(() => { button.disabled = false; });
  }, true);
})();
