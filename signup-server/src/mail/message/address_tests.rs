//! Tests that an SMTP envelope accepts every address that a sign-up accepts.

use lettre::address::Envelope;
use proptest::prelude::*;

use super::*;

/// Returns whether an envelope accepts the address.
fn fits_an_envelope(email: &EmailAddress) -> bool {
    let sender = Address::new("signup", "example.org").unwrap();
    address(email).is_ok_and(|address| Envelope::new(Some(sender), vec![address]).is_ok())
}

#[test]
fn an_accepted_address_fits_an_envelope() {
    for (given, envelope) in [
        ("Ada@Example.org", "Ada@example.org"),
        ("o'hara+tag@a-b.example.co.uk", "o'hara+tag@a-b.example.co.uk"),
        ("ada@1.2.3.4.example.org", "ada@1.2.3.4.example.org"),
        ("ada@0x1.example", "ada@0x1.example"),
        ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
        ("ada@xn--a.example", "ada@xn--a.example"),
        ("ada@bücher.example", "ada@xn--bcher-kva.example"),
        ("ada@Почта.РФ", "ada@xn--80a1acny.xn--p1ai"),
        ("ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"),
        ("ada@डाक.भारत", "ada@xn--11bx1g.xn--h2brj9c"),
        ("ada@דוגמה.ישראל", "ada@xn--6dbbec0c.xn--4dbrk0ce"),
    ] {
        let email = EmailAddress::new(given).unwrap();
        assert_eq!(address(&email).unwrap().to_string(), envelope, "{given}");
        assert!(fits_an_envelope(&email), "{given}");
    }
}

fn address_like_texts() -> impl Strategy<Value = String> {
    let label = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,70}[a-zA-Z0-9])?|[0-9]{1,3}|0x[0-9a-f]{0,8}|xn--[a-z0-9-]{0,9}";
    let domain = prop::collection::vec(label, 1..6).prop_map(|labels| labels.join("."));
    let other_script = "[a-z0-9אבגدرزÄß李王例٣-]{1,22}\\.[a-zאבد李0-9]{1,6}";
    ("[!-~]{1,12}", prop_oneof![domain, "[ -~]{1,40}", other_script])
        .prop_map(|(user, domain)| format!("{user}@{domain}"))
}

proptest! {
    #[test]
    fn every_accepted_address_fits_an_envelope(text in address_like_texts()) {
        if let Ok(email) = EmailAddress::new(&text) {
            prop_assert!(fits_an_envelope(&email), "{}", email);
        }
    }
}
