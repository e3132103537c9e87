import Foundation
import Glibc
import Platform

/// A private key and its certificate, for encrypted connections.
public struct ServerCertificate: Sendable {
  /// The private key and the certificate in PEM format, one after the other.
  public let text: String
  /// The SHA-256 digest of the certificate, as browsers show it.
  public let fingerprint: String

  /// How long a certificate is valid, and how long before its end a new one replaces it, in days.
  private static let validDays = 397
  private static let renewalDays = 30

  /// Returns the self-signed certificate for the names from a folder. If the folder has none that is still valid, makes
  /// one with the program `openssl`. Only the user can read its file.
  ///
  /// - Parameter names: Host names and IP addresses.
  public static func selfSigned(in folder: URL, names: [String]) throws -> ServerCertificate {
    let names = Set(names).subtracting(["0.0.0.0", "::", ""]).sorted()
    let alternatives = names.map { AccessPolicy.isIPAddress($0) ? "IP:\($0)" : "DNS:\($0)" }
      .joined(separator: ",")
    let digest = FNV1a(alternatives.utf8).value
    let file = folder.appendingPathComponent("studio-\(String(digest, radix: 16)).pem")
    let checks = ["x509", "-in", file.path, "-noout", "-checkend", "\(renewalDays * 86400)"]
    if !FileManager.default.fileExists(atPath: file.path) || !run(checks).isSuccess {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try make(file, alternatives)
    }
    let shown = run(["x509", "-in", file.path, "-noout", "-fingerprint", "-sha256"])
    guard let text = try? String(contentsOf: file, encoding: .utf8), shown.isSuccess,
      let fingerprint = shown.text.split(separator: "=").last
    else { throw failure(shown.text) }
    return ServerCertificate(
      text: text, fingerprint: fingerprint.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private static func make(_ file: URL, _ alternatives: String) throws {
    // mkstemp makes a file that only the user can read, so nobody else can read the key at any time.
    var template = Array((file.path + "-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw failure("\(file.path): \(String(cString: strerror(errno)))")
    }
    close(descriptor)
    let draft = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    // `openssl req` writes key and certificate to two outputs, which are the same file: the key first.
    let made = run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-sha256", "-days", "\(validDays)", "-subj", "/CN=Atelier studio", "-addext",
      "subjectAltName=\(alternatives)", "-addext", "extendedKeyUsage=serverAuth", "-keyout", draft,
    ])
    guard made.isSuccess, let start = made.text.range(of: "-----BEGIN CERTIFICATE-----") else {
      unlink(draft)
      throw failure(made.text)
    }
    do {
      let output = try FileHandle(forWritingTo: URL(fileURLWithPath: draft))
      try output.seekToEnd()
      try output.write(contentsOf: Data(made.text[start.lowerBound...].utf8))
      try output.close()
    } catch {
      unlink(draft)
      throw failure(ErrorSentence.reason(of: error))
    }
    chmod(draft, 0o600)
    guard rename(draft, file.path) == 0 else {
      unlink(draft)
      throw failure("\(file.path): \(String(cString: strerror(errno)))")
    }
  }

  private static func failure(_ reason: String) -> HTTPError {
    let line = reason.split(separator: "\n").last.map(String.init) ?? "it printed nothing"
    return HTTPError(
      500, "no_certificate",
      "The certificate for --https could not be made (\(line)). It needs the program openssl: sudo"
        + " apt-get install openssl")
  }

  private static func run(_ arguments: [String]) -> (isSuccess: Bool, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    do {
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (process.terminationStatus == 0, String(decoding: data, as: UTF8.self))
    } catch {
      return (false, ErrorSentence.reason(of: error))
    }
  }
}

/// The IP addresses of network interfaces.
public enum NetworkAddresses {
  /// The IPv4 addresses of this machine, without loopback addresses.
  public static var ofThisMachine: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { entry in
      guard let address = entry?.pointee.ifa_addr, address.pointee.sa_family == AF_INET else {
        return nil
      }
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          address, socklen_t(MemoryLayout<sockaddr_in>.size), &name, socklen_t(name.count), nil, 0,
          NI_NUMERICHOST) == 0
      else { return nil }
      let text = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      return AccessPolicy.isLoopback(text) ? nil : text
    }
  }
}
