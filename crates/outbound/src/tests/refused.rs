//! Addresses that are refused, in every spelling. A canary checks that no connection is made.

use super::receiver::Receiver;
use super::*;

/// Internal addresses, spelled as an attacker may spell them to pass a check. Each is refused before a packet is sent.
const SPELLINGS: [&str; 100] = [
    // This machine, IPv4.
    "http://127.0.0.1/",
    "http://127.0.0.1:80/",
    "https://127.0.0.1:443/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.255.255.254/",
    "http://0/",
    "http://0.0.0.0/",
    "http://0.0/",
    "http://2130706433/",
    "http://2130706433./",
    "http://017700000001/",
    "http://0177.0.0.1/",
    "http://0177.0.0.01/",
    "http://0000177.0.0.1/",
    "http://0x7f.1/",
    "http://0x7f.0.0.1/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://0X7F.0.0.1/",
    "http://0x7f000001/",
    "http://0x7F000001/",
    "http://0x0000000007f000001/",
    "http://127.0x1/",
    "http://127.0.0.1./",
    "http://127.1./",
    "http://0x7f.1./",
    // Percent-encoded, full-width, circled, ideographic dots.
    "http://%31%32%37.0.0.1/",
    "http://127%2e0%2e0%2e1/",
    "http://%6c%6f%63%61%6c%68%6f%73%74/",
    "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
    "http://\u{ff11}\u{ff12}\u{ff17}\u{ff0e}\u{ff10}\u{ff0e}\u{ff10}\u{ff0e}\u{ff11}/",
    "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
    "http://127\u{3002}0\u{3002}0\u{3002}1/",
    "http://127\u{ff61}0\u{ff61}0\u{ff61}1/",
    "http://\u{1d7cf}\u{1d7d0}\u{1d7d5}.0.0.1/",
    "http://12\u{ad}7.0.0.1/",
    "http://127.0.0.\u{200b}1/",
    "http://%ef%bc%91%ef%bc%92%ef%bc%97.0.0.1/",
    // This machine, by name.
    "http://localhost/",
    "http://LOCALHOST/",
    "http://LocalHost:80/",
    "http://localhost./",
    "http://\u{24db}ocalhost/",
    "http://loc\u{ad}alhost/",
    "http://a.localhost/",
    "http://localhost.localdomain/",
    "localhost",
    "localhost:443",
    "127.0.0.1",
    "127.1:443/hook",
    "0x7f.1",
    "2130706433",
    "[::1]",
    // This machine, IPv6, and IPv4 embedded in it.
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::FFFF:7F00:0001]/",
    "http://[0:0:0:0:0:ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[::7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b:1::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a00:1::1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[::ffff:0:127.0.0.1]/",
    // Metadata services of clouds.
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://168.63.129.16/",
    // Private networks.
    "http://10.0.0.1/",
    "http://10.1/",
    "http://012.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://192.168.1/",
    "http://0xc0a80001/",
    "http://100.64.0.1/",
    "http://[fc00::1]/",
    "http://[fd12:3456::1]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    // Reserved, multicast and broadcast.
    "http://255.255.255.255/",
    "http://224.0.0.1/",
    "http://[ff02::1]/",
    "http://198.18.0.1/",
    "http://[2001:db8::1]/",
];

/// Spellings in which a public host precedes or follows an internal one.
const TRICKS: [&str; 20] = [
    "http://user@127.0.0.1/",
    "http://example.com@127.0.0.1/",
    "http://example.com:80@127.0.0.1/",
    "http://@127.0.0.1/",
    "http://example.com%40127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1%00.example.com/",
    "http://127.0.0.1%09/",
    "http://127.0.0.1\t/",
    "http://127.0.0.1\r\n.example.com/",
    "http://127.0.0.1 .example.com/",
    "http://[::1]@example.com/",
    "http://[::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://256.0.0.1/",
    "http://127.0.0.1.1/",
    "http://127.0.0.1../",
    "http:/127.0.0.1/",
    "http:127.0.0.1",
];

/// The name service of the system for names of this machine. All other names do not exist.
struct Local;

#[async_trait::async_trait]
impl Resolver for Local {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let is_own = name.split('.').any(|label| label == "localhost");
        if is_own { Ok(vec!["127.0.0.1".parse().unwrap()]) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

#[tokio::test]
async fn every_spelling_of_internal_address_is_refused() {
    let client = outside(Arc::new(Local));
    for url in SPELLINGS {
        let outcome = client.call(&call(url)).await.outcome;
        let is_it = matches!(outcome, Err(Failure::NotPublic(_) | Failure::Target(_)));
        assert!(is_it, "{url}: {outcome:?}");
        assert!(outcome.is_err_and(|failure| failure.is_refusal()), "{url}");
    }
}

#[tokio::test]
async fn no_trick_hides_internal_address() {
    let client = outside(Arc::new(Local));
    for url in TRICKS {
        let outcome = client.call(&call(url)).await.outcome;
        assert!(matches!(outcome, Err(Failure::Target(_) | Failure::NotPublic(_))), "{url}: {outcome:?}");
    }
}

#[tokio::test]
async fn system_resolver_maps_localhost_to_loopback() {
    let outcome = outside(Arc::new(SystemResolver)).call(&call("http://localhost./")).await.outcome;
    assert!(matches!(outcome, Err(Failure::NotPublic(_))), "{outcome:?}");
}

#[tokio::test]
async fn public_address_is_permitted() {
    // Only the check runs, no call: tests do not leave this machine.
    let names = Answers::new(&["93.184.216.34", "2606:4700::1111"]);
    let guard = Guard { resolver: names.clone(), loopback: false };
    let look = async |url: &str| guard.addresses(&url.parse().unwrap()).await.map(|found| found.len());
    for url in ["https://example.com", "https://example.com:8443", "https://a.b.example.com/hook"] {
        assert_eq!(look(url).await, Ok(2), "{url}");
    }
    assert_eq!(look("https://93.184.216.34").await, Ok(1));
    for url in ["http://example.com", "http://example.com:8080"] {
        assert_eq!(look(url).await, Ok(2), "{url}");
        let call = Call { in_the_clear: false, ..call(url) };
        assert_eq!(outside(names.clone()).call(&call).await.outcome, Err(Failure::Unencrypted), "{url}");
    }
    for (url, port) in
        [("https://example.com:22", 22), ("https://example.com:80", 80), ("http://example.com:443", 443)]
    {
        assert_eq!(look(url).await, Err(Failure::Port(port)), "{url}");
    }
}

#[tokio::test]
async fn one_internal_address_refuses_the_host() {
    let canary = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let url = format!("http://example.com:{}", canary.port);
    for inside in ["10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "fd00::1"] {
        // The first address is permitted here. The call is refused only because all addresses are checked.
        let client = Client::new(Answers::new(&["127.0.0.1", inside]), true, &[]).unwrap();
        let outcome = client.call(&call(&url)).await.outcome;
        assert_eq!(outcome, Err(Failure::NotPublic(inside.parse().unwrap())));
    }
    let outcome =
        outside(Answers::new(&["93.184.216.34", "127.0.0.1"])).call(&call("http://example.com")).await;
    assert_eq!(outcome.outcome, Err(Failure::NotPublic("127.0.0.1".parse().unwrap())));
    assert_eq!(canary.taken(), 0);
}

#[tokio::test]
async fn name_is_resolved_once_per_call() {
    let receiver = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let names = Answers::new(&["127.0.0.1"]);
    let client = Client::new(names.clone(), true, &[]).unwrap();
    let attempt = client.call(&call(&format!("http://changes.example:{}", receiver.port))).await;
    assert_eq!((attempt.is_taken(), names.asked(), receiver.taken()), (true, 1, 1));
}

#[tokio::test]
async fn only_dev_client_calls_loopback() {
    let canary = Receiver::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    for host in ["127.0.0.1", "localhost", "0x7f.1"] {
        let call = call(&format!("http://{host}:{}", canary.port));
        let refused = outside(Arc::new(Local)).call(&call).await.outcome;
        assert_eq!(refused, Err(Failure::NotPublic("127.0.0.1".parse().unwrap())), "{host}");
        assert_eq!(canary.taken(), 0, "{host}");
    }
    for host in ["127.0.0.1", "localhost", "0x7f.1"] {
        let attempt = dev().call(&call(&format!("http://{host}:{}", canary.port))).await;
        assert!(attempt.is_taken(), "{host}: {attempt:?}");
    }
    for hidden in ["[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "10.0.0.1", "0.0.0.0"] {
        let outcome = dev().call(&call(&format!("http://{hidden}:{}", canary.port))).await.outcome;
        assert!(matches!(outcome, Err(Failure::NotPublic(_))), "{hidden}: {outcome:?}");
    }
    assert_eq!(canary.taken(), 3);
}

#[tokio::test]
async fn host_without_address_fails_lookup() {
    let outcome = outside(Arc::new(Local)).call(&call("https://nobody.example")).await.outcome;
    assert_eq!(outcome, Err(Failure::Lookup));
    assert_eq!(
        outside(Answers::new(&[])).call(&call("https://nobody.example")).await.outcome,
        Err(Failure::Lookup)
    );
}
