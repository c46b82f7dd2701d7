//! Encryption of the connection, and what of the server's certificate is checked.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::settings::{TlsMode, TlsSettings};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// Makes encrypted connections as these settings want them.
///
/// # Errors
/// `ERR_LEDGER_IO`: the certificates to trust cannot be read, or are missing.
pub(super) fn connector(tls: &TlsSettings) -> Result<MakeRustlsConnect, LedgerError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| broken(&error.to_string()))?;
    let mode = match tls.mode {
        // As libpq has it: who names roots wants them looked at.
        TlsMode::Require if tls.roots.is_some() => TlsMode::VerifyCa,
        mode => mode,
    };
    let verifier: Arc<dyn ServerCertVerifier> = match mode {
        TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => Arc::new(AnyCertificate(provider)),
        TlsMode::VerifyCa | TlsMode::VerifyFull => {
            let roots = Arc::new(roots(tls)?);
            let whole = WebPkiServerVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| broken(&error.to_string()))?;
            if mode == TlsMode::VerifyFull { whole } else { Arc::new(AnyName(whole)) }
        }
    };
    let config = config
        // Each verifier is one of the modes that libpq has, chosen by who wrote the URL.
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn roots(tls: &TlsSettings) -> Result<RootCertStore, LedgerError> {
    let mut store = RootCertStore::empty();
    match &tls.roots {
        Some(path) => {
            let name = path.display();
            let read = || -> Result<Vec<CertificateDer<'static>>, _> {
                CertificateDer::pem_file_iter(path)?.collect()
            };
            let certificates =
                read().map_err(|error| broken(&format!("sslrootcert {name}: {error}")))?;
            for certificate in certificates {
                store
                    .add(certificate)
                    .map_err(|error| broken(&format!("sslrootcert {name}: {error}")))?;
            }
        }
        None => {
            // What cannot be read of the system's is left out: the rest is trusted all the same.
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if store.is_empty() {
        return Err(broken("there is no certificate to trust: name one with sslrootcert"));
    }
    Ok(store)
}

fn broken(why: &str) -> LedgerError {
    LedgerErrorKind::Io.because(format!("the connection to PostgreSQL cannot be encrypted: {why}"))
}

/// Takes any certificate, as `prefer` and `require` do: an eavesdropper hears nothing, a man in the middle does.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self, _: &CertificateDer<'_>, _: &[CertificateDer<'_>], _: &ServerName<'_>, _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self, message: &[u8], certificate: &CertificateDer<'_>, signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            certificate,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self, message: &[u8], certificate: &CertificateDer<'_>, signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            certificate,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Takes what a trusted root signed, for any host, as `verify-ca` does.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self, certificate: &CertificateDer<'_>, between: &[CertificateDer<'_>],
        name: &ServerName<'_>, ocsp: &[u8], now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.0.verify_server_cert(certificate, between, name, ocsp, now) {
            // The name is looked at last: all else is in order.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self, message: &[u8], certificate: &CertificateDer<'_>, signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self, message: &[u8], certificate: &CertificateDer<'_>, signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
