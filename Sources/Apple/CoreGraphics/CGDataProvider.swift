import Foundation

/// A provider of bytes for a `CGImage`.
public final class CGDataProvider: Sendable {
  private let bytes: @Sendable () -> Data?

  /// Makes a provider of existing bytes.
  public init?(data: CFData) {
    self.bytes = { data }
  }

  /// Makes a provider of existing bytes. This initialiser is not needed on Apple's systems, where `NSData` is bridged
  /// to `CFData`.
  public convenience init?(data: NSData) {
    self.init(data: Data(referencing: data))
  }

  /// Makes a provider of a file's bytes. Returns nil if the file cannot be read.
  public init?(url: CFURL) {
    guard let data = try? Data(contentsOf: url) else { return nil }
    self.bytes = { data }
  }

  init(_ bytes: @escaping @Sendable () -> Data?) {
    self.bytes = bytes
  }

  /// The bytes.
  public var data: CFData? { bytes() }
}
