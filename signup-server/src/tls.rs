//! TLS to other servers: webhooks and the mail server.

use std::sync::{Arc, OnceLock};

use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Returns the configuration of TLS with the root certificates of the system; `None` if the system has none.
///
/// The certificates are read when they are first needed.
pub(crate) fn with_system_roots() -> Option<Arc<ClientConfig>> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Some(Arc::clone(config));
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = if roots.is_empty() { None } else { with_roots(roots) };
    config.map(|config| Arc::clone(CONFIG.get_or_init(|| config)))
}

/// Returns the configuration of TLS with these root certificates; `None` if the provider lacks a version of TLS.
pub(crate) fn with_roots(roots: RootCertStore) -> Option<Arc<ClientConfig>> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().ok()?;
    Some(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}
