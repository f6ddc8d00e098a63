//! Credentials, found where the vendors' own tools find them.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::HeaderValue;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};

use crate::address::Login;

/// Largest configuration file that is read.
const MAX_FILE: u64 = 1 << 20;

/// The header of a user and a password.
pub(crate) fn basic(login: &Login) -> Option<HeaderValue> {
    let pair = STANDARD.encode(format!("{}:{}", login.user, login.password));
    header(&format!("Basic {pair}"))
}

/// The header of the login to the Hugging Face hub: `HF_TOKEN`, or what `hf auth login` stored.
pub(crate) fn hub() -> Option<HeaderValue> {
    let stored = || {
        let folder = variable("HF_HOME").map(PathBuf::from).or_else(|| {
            let cache = variable("XDG_CACHE_HOME").map(PathBuf::from);
            Some(cache.or_else(|| Some(home()?.join(".cache")))?.join("huggingface"))
        })?;
        let path = variable("HF_TOKEN_PATH").map_or_else(|| folder.join("token"), PathBuf::from);
        Some(read(&path)?.trim().to_owned())
    };
    let token =
        variable("HF_TOKEN").or_else(|| variable("HUGGING_FACE_HUB_TOKEN")).or_else(stored)?;
    header(&format!("Bearer {token}"))
}

/// The address of the hub.
pub(crate) fn hub_endpoint() -> String {
    let endpoint = variable("HF_ENDPOINT").unwrap_or_else(|| "https://huggingface.co".to_owned());
    endpoint.trim_end_matches('/').to_owned()
}

fn header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A builder with what the AWS command line would use: variables, then the profile's files, then the role of
/// the machine or container.
pub(crate) fn s3() -> AmazonS3Builder {
    let mut builder = AmazonS3Builder::from_env();
    let profile = variable("AWS_PROFILE")
        .or_else(|| variable("AWS_DEFAULT_PROFILE"))
        .unwrap_or_else(|| "default".to_owned());
    let file = |name: &str, default: &str| {
        let path = variable(name)
            .map(PathBuf::from)
            .or_else(|| Some(home()?.join(".aws").join(default)))?;
        read(&path)
    };
    let mut known = BTreeMap::new();
    // The file of credentials goes before the other one.
    if let Some(text) = file("AWS_CONFIG_FILE", "config") {
        let section =
            if profile == "default" { profile.clone() } else { format!("profile {profile}") };
        known.extend(ini_section(&text, &section));
    }
    if let Some(text) = file("AWS_SHARED_CREDENTIALS_FILE", "credentials") {
        known.extend(ini_section(&text, &profile));
    }
    let has_key = builder.get_config_value(&AmazonS3ConfigKey::AccessKeyId).is_some();
    let keys = [
        ("aws_access_key_id", AmazonS3ConfigKey::AccessKeyId, true),
        ("aws_secret_access_key", AmazonS3ConfigKey::SecretAccessKey, true),
        ("aws_session_token", AmazonS3ConfigKey::Token, true),
        ("region", AmazonS3ConfigKey::Region, false),
        ("endpoint_url", AmazonS3ConfigKey::Endpoint, false),
    ];
    for (name, key, is_credential) in keys {
        // Credentials of two places are not mixed.
        let is_set = if is_credential { has_key } else { builder.get_config_value(&key).is_some() };
        if let Some(value) = known.get(name).filter(|_| !is_set) {
            builder = builder.with_config(key, value);
        }
    }
    builder
}

/// A builder with what the `gcloud` command line and Google's libraries would use.
pub(crate) fn google() -> GoogleCloudStorageBuilder {
    let mut builder = GoogleCloudStorageBuilder::from_env();
    if builder.get_config_value(&GoogleConfigKey::ApplicationCredentials).is_none()
        && let Some(folder) = variable("CLOUDSDK_CONFIG")
    {
        let login = PathBuf::from(folder).join("application_default_credentials.json");
        if login.is_file() {
            builder = builder.with_application_credentials(login.to_string_lossy());
        }
    }
    if builder.get_config_value(&GoogleConfigKey::BaseUrl).is_none()
        && let Some(host) = variable("STORAGE_EMULATOR_HOST")
    {
        let url = if host.contains("://") { host } else { format!("http://{host}") };
        builder = builder.with_base_url(url.trim_end_matches('/')).with_skip_signature(true);
    }
    builder
}

/// A builder with what the `az` command line would use. A connection string goes before other variables.
pub(crate) fn azure() -> MicrosoftAzureBuilder {
    if let Some(text) = variable("AZURE_STORAGE_CONNECTION_STRING") {
        return connected(MicrosoftAzureBuilder::new(), &text);
    }
    let mut builder = MicrosoftAzureBuilder::from_env();
    for (name, key) in [
        ("AZURE_STORAGE_ACCOUNT", AzureConfigKey::AccountName),
        ("AZURE_STORAGE_KEY", AzureConfigKey::AccessKey),
    ] {
        if let Some(value) = variable(name).filter(|_| builder.get_config_value(&key).is_none()) {
            builder = builder.with_config(key, value);
        }
    }
    builder
}

/// The builder with the settings of a connection string: `AccountName=…;AccountKey=…;…`.
fn connected(mut builder: MicrosoftAzureBuilder, text: &str) -> MicrosoftAzureBuilder {
    let parts = text.split(';').filter_map(|part| part.split_once('='));
    let parts: BTreeMap<String, &str> =
        parts.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim())).collect();
    let part = |name: &str| parts.get(name).copied().filter(|value| !value.is_empty());
    if part("usedevelopmentstorage").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return builder.with_use_emulator(true);
    }
    let endpoint = part("blobendpoint").map(str::to_owned).or_else(|| {
        let protocol = part("defaultendpointsprotocol").unwrap_or("https");
        Some(format!("{protocol}://{}.blob.{}", part("accountname")?, part("endpointsuffix")?))
    });
    let settings = [
        (AzureConfigKey::AccountName, part("accountname").map(str::to_owned)),
        (AzureConfigKey::AccessKey, part("accountkey").map(str::to_owned)),
        (AzureConfigKey::SasKey, part("sharedaccesssignature").map(str::to_owned)),
        (AzureConfigKey::Endpoint, endpoint),
    ];
    for (key, value) in settings {
        if let Some(value) = value {
            builder = builder.with_config(key, value);
        }
    }
    builder
}

/// Settings of a section of an INI file.
fn ini_section(text: &str, section: &str) -> BTreeMap<String, String> {
    let mut inside = false;
    let mut settings = BTreeMap::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            inside = name.trim() == section;
        } else if inside
            // Settings of settings are indented.
            && !line.starts_with([' ', '\t', '#', ';'])
            && let Some((key, value)) = trimmed.split_once('=')
        {
            settings.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    settings
}

/// A variable of the environment that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn home() -> Option<PathBuf> {
    variable("HOME").or_else(|| variable("USERPROFILE")).map(PathBuf::from)
}

/// The text of a configuration file.
pub(crate) fn read(path: &std::path::Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE {
        return None;
    }
    fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_hold_their_own_settings() {
        let text = "[default]\naws_access_key_id = A\n# aws_secret_access_key = no\n\n[profile ci]\n\
                    region=eu-west-1\ns3 =\n  endpoint_url = nested\n[other]\nregion = us-west-2\n";
        assert_eq!(
            ini_section(text, "default"),
            BTreeMap::from([("aws_access_key_id".into(), "A".into())])
        );
        let ci = ini_section(text, "profile ci");
        assert_eq!(ci.get("region").map(String::as_str), Some("eu-west-1"));
        assert!(!ci.contains_key("endpoint_url"));
        assert!(ini_section(text, "missing").is_empty());
    }

    #[test]
    fn connection_strings_have_account_key_and_endpoint() {
        let settings = |text: &str| {
            let builder = connected(MicrosoftAzureBuilder::new(), text);
            [AzureConfigKey::AccountName, AzureConfigKey::AccessKey, AzureConfigKey::Endpoint]
                .map(|key| builder.get_config_value(&key))
        };
        let text = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=bWU=;EndpointSuffix=core.windows.net";
        let expected = ["a", "bWU=", "https://a.blob.core.windows.net"].map(|it| Some(it.into()));
        assert_eq!(settings(text), expected);
        let text = "BlobEndpoint=http://127.0.0.1:10000/a;AccountName=a;AccountKey=bWU=;";
        assert_eq!(settings(text)[2].as_deref(), Some("http://127.0.0.1:10000/a"));
        assert_eq!(settings("AccountName=a;=;nothing"), [Some("a".into()), None, None]);
    }

    #[test]
    fn headers_do_not_print_their_values() {
        let login = Login { user: "Aladdin".into(), password: "open sesame".into() };
        let value = basic(&login).unwrap();
        // The example of RFC 7617.
        assert_eq!(value.as_bytes(), b"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert_eq!(format!("{value:?}"), "Sensitive");
    }
}
