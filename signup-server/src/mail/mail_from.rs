//! The sender of mails, as the operator configures it.

use std::fmt;
use std::str::FromStr;

use signup_core::EmailAddress;

use crate::plain::one_line;

/// The sender of mails: an address, and a name for mails that are not from an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailFrom {
    name: Option<String>,
    /// The domain is in ASCII.
    address: String,
}

impl MailFrom {
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn domain(&self) -> &str {
        self.address.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl FromStr for MailFrom {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hint = "use an address such as Riverside Food Bank <signup@example.org>";
        let (name, address) = match text.trim().strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
            Some((name, address)) => (one_line(name.trim().trim_matches('"')), address),
            None => (String::new(), text.trim()),
        };
        let (user, domain) = address.rsplit_once('@').ok_or(hint)?;
        let is_local = domain == "localhost";
        // `EmailAddress` refuses `localhost`, so the user is checked with another domain.
        let checked = if is_local { "localhost.example" } else { domain };
        let email = EmailAddress::new(&format!("{user}@{checked}")).map_err(|_| hint)?;
        let domain = if is_local { domain } else { email.ascii_domain() };
        let name = (!name.is_empty()).then_some(name);
        Ok(Self { name, address: format!("{}@{domain}", email.user()) })
    }
}

/// Shows the sender as the operator writes it.
impl fmt::Display for MailFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.address),
            None => f.write_str(&self.address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        for (given, name, address) in [
            ("Riverside Food Bank <help@example.org>", Some("Riverside Food Bank"), "help@example.org"),
            ("Signup <signup@localhost>", Some("Signup"), "signup@localhost"),
            ("\"Riverside, Inc.\" <help@example.org>", Some("Riverside, Inc."), "help@example.org"),
            ("Zoë <zoe@Bücher.example>", Some("Zoë"), "zoe@xn--bcher-kva.example"),
            (" help@example.org ", None, "help@example.org"),
            ("<help@example.org>", None, "help@example.org"),
        ] {
            let sender: MailFrom = given.parse().unwrap();
            assert_eq!((sender.name(), sender.address()), (name, address));
        }
        for bad in [
            "",
            "Riverside",
            "help@",
            "Riverside <help>",
            "a@[192.0.2.1]",
            "zoë@example.org",
            "a b@localhost",
            "a@1.2.3.4",
            "\"a b\"@example.org",
        ] {
            assert!(bad.parse::<MailFrom>().is_err(), "{bad}");
        }
    }
}
