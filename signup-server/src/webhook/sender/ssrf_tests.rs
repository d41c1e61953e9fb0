//! No way into the network: no URL leads a request to an address that is not allowed.
//!
//! Each URL goes through the creation of a webhook, and then through the sender as if it had been created. The tests watch the
//! addresses that connections are asked for, and listeners on this machine.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

use signup_core::{NewOrganization, NewWebhook, Scopes, Service, WebhookUrl};
use signup_store_memory::MemoryStore;

use super::endpoint::TestNetwork;
use super::*;

/// URLs that lead to an address that is not public, in every spelling, or that are no URLs of a webhook.
const BAD: &[&str] = &[
    // Loopback: decimal, octal, hexadecimal, short forms, and a dot at the end.
    "https://127.0.0.1:{port}/",
    "https://127.1:{port}/",
    "https://127.0.1:{port}/",
    "https://0177.0.0.1:{port}/",
    "https://0177.0.0.01:{port}/",
    "https://017700000001:{port}/",
    "https://0x7f.0.0.1:{port}/",
    "https://0x7f.1:{port}/",
    "https://0x7F000001:{port}/",
    "https://2130706433:{port}/",
    "https://127.0.0.1.:{port}/",
    "https://127.255.255.254:{port}/",
    "https://0:{port}/",
    "https://0.0.0.0:{port}/",
    "https://0.1.2.3:{port}/",
    // Digits and dots of other scripts.
    "https://①②⑦.⓪.⓪.①:{port}/",
    "https://１２７.0.0.1:{port}/",
    "https://127。0。0。1:{port}/",
    "https://127%2e0%2e0%2e1:{port}/",
    "https://%31%32%37.0.0.1:{port}/",
    // Private, shared, link-local, multicast, documentation, benchmarking and reserved addresses.
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://3232235777/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://0xa9fea9fe/",
    "https://2852039166/",
    "https://192.0.0.8/",
    "https://192.0.2.1/",
    "https://198.18.0.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    // IPv6: loopback, unspecified, mapped, compatible, NAT64, 6to4, Teredo, local, multicast and documentation.
    "https://[::1]:{port}/",
    "https://[0:0:0:0:0:0:0:1]:{port}/",
    "https://[::]:{port}/",
    "https://[::ffff:127.0.0.1]:{port}/",
    "https://[::ffff:7f00:1]:{port}/",
    "https://[::ffff:93.184.215.14]:{port}/",
    "https://[::127.0.0.1]:{port}/",
    "https://[::ffff:0:127.0.0.1]:{port}/",
    "https://[64:ff9b::7f00:1]:{port}/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[64:ff9b:1::1]/",
    "https://[2002:7f00:1::]:{port}/",
    "https://[2002:a00:1::1]/",
    "https://[2001::1]/",
    "https://[2001:0:7f00:1::]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[ff02::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
    "https://[100::1]/",
    // Names that lead there.
    "https://localhost:{port}/",
    "https://LOCALHOST:{port}/",
    "https://localhost.:{port}/",
    "https://local.example:{port}/",
    "https://127.0.0.1.nip.example:{port}/",
    "https://metadata.example/",
    "https://mapped.example:{port}/",
    "https://nat64.example/",
    "https://mixed.example:{port}/",
    "https://mixed-last.example:{port}/",
    "https://ⓛocalhost:{port}/",
    // Users, other hosts, and what a parser might repair.
    "https://example.org@127.0.0.1:{port}/",
    "https://example.org:443@127.0.0.1:{port}/",
    "https://127.0.0.1:{port}\\@example.org/",
    "https://example.org\\.127.0.0.1:{port}/",
    "https://127.0.0.1:{port}#@example.org/",
    "https:127.0.0.1:{port}/",
    "https:///127.0.0.1:{port}/",
    "https:\\\\127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "https://127.0.0.1:{port} .example.org/",
    "https://[::1%25lo]:{port}/",
    "https://[127.0.0.1]:{port}/",
    // Other schemes.
    "http://127.0.0.1:{port}/",
    "http://example.org/",
    "http://93.184.215.14/",
    "ftp://127.0.0.1:{port}/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/",
    "unix:///run/socket",
];

fn network() -> TestNetwork {
    let loopback: &[&str] = &["127.0.0.1", "::1"];
    TestNetwork::new(None)
        .name("localhost", &[loopback])
        .name("localhost.", &[loopback])
        .name("local.example", &[loopback])
        .name("127.0.0.1.nip.example", &[&["127.0.0.1"]])
        .name("metadata.example", &[&["169.254.169.254"]])
        .name("mapped.example", &[&["::ffff:127.0.0.1"]])
        .name("nat64.example", &[&["64:ff9b::a00:1"]])
        .name("mixed.example", &[&["93.184.215.14", "127.0.0.1"]])
        .name("mixed-last.example", &[&["2606:4700::1111", "93.184.215.14", "fd00::1"]])
        .name("example.org", &[&["93.184.215.14"]])
}

#[tokio::test]
async fn no_url_leads_to_an_address_that_is_not_allowed() {
    assert!(BAD.len() >= 60, "{}", BAD.len());
    let listeners = [
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(),
        TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).unwrap(),
    ];
    let service = Service::new(MemoryStore::new());
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let organization = service.admin().create_organization(new).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    let network = Arc::new(network());
    let (recorded, real) = (Sender::on(Arc::clone(&network), ""), Sender::new(Networks::default()));
    let mut accepted_names = vec![];
    for listener in &listeners {
        let port = listener.local_addr().unwrap().port().to_string();
        for text in BAD.iter().map(|text| text.replace("{port}", &port)) {
            let Ok(url) = text.parse::<WebhookUrl>() else { continue };
            let host = Url::parse(url.as_str()).unwrap().host().unwrap().to_owned();
            let created = session.create_webhook(NewWebhook::new(url)).await;
            let is_name = matches!(host, Host::Domain(_)) && text.starts_with("https");
            assert_eq!(created.is_ok(), is_name, "{text}: {created:?}");
            if let Ok(created) = created {
                accepted_names.push(host.to_string());
                session.delete_webhook(created.id).await.unwrap();
            }
            assert_eq!(recorded.fault(&text).await, "address not allowed", "{text}");
            // Other names are not looked up for real.
            if !matches!(&host, Host::Domain(name) if !name.starts_with("localhost")) {
                let fault = real.fault(&text).await;
                let is_refused = ["address not allowed", "host name not found"].contains(&fault.as_str());
                assert!(is_refused, "{text}: {fault}");
            }
        }
    }
    assert_eq!(network.connected(), [], "no connection was asked for");
    for listener in listeners {
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "no connection arrived");
    }
    assert!(accepted_names.iter().any(|name| name == "mixed.example"), "{accepted_names:?}");
}

#[tokio::test]
async fn a_connection_goes_to_the_addresses_that_were_checked() {
    for (url, expected) in [
        ("https://93.184.215.14/", "93.184.215.14:443"),
        ("https://93.184.215.14:22/", "93.184.215.14:22"),
        ("https://[2606:4700::1111]:8443/", "[2606:4700::1111]:8443"),
        ("https://example.org/", "93.184.215.14:443"),
        ("http://office.example/", "10.0.0.1:80"),
        ("https://office.example/", "10.0.0.1:443"),
    ] {
        // From the second time on, each name leads to this machine.
        let local: &[&str] = &["127.0.0.1"];
        let network = TestNetwork::new(None)
            .name("example.org", &[&["93.184.215.14"], local])
            .name("office.example", &[&["10.0.0.1"], local]);
        let network = Arc::new(network);
        let sender = Sender::on(Arc::clone(&network), "10.0.0.0/8");
        assert_eq!(sender.fault(url).await, "connection refused", "{url}");
        let connected: Vec<_> = network.connected().iter().map(ToString::to_string).collect();
        assert_eq!(connected, [expected], "{url}");
        if url.contains("example") {
            assert_eq!(sender.fault(url).await, "address not allowed", "{url}, looked up again");
            assert_eq!(network.connected().len(), 1);
        }
    }
}

#[tokio::test]
async fn with_http_only_allowed_addresses_are_reached() {
    let network = Arc::new(TestNetwork::new(None).name("both.example", &[&["10.0.0.1", "93.184.215.14"]]));
    let sender = Sender::on(Arc::clone(&network), "10.0.0.0/8");
    for url in ["http://both.example/", "http://93.184.215.14/", "http://127.0.0.1/"] {
        assert_eq!(sender.fault(url).await, "address not allowed", "{url}");
    }
    assert_eq!(network.connected(), []);
    assert_eq!(sender.fault("https://both.example/").await, "connection refused");
    assert_eq!(network.connected().len(), 2, "the next address is tried");
}
