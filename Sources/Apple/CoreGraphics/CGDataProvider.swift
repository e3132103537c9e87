import Foundation

/// Bytes for a `CGImage`.
public final class CGDataProvider: Sendable {
  private let bytes: @Sendable () -> Data?

  /// A provider of bytes at hand.
  public init?(data: CFData) {
    self.bytes = { data }
  }

  /// A provider of bytes at hand: what Apple's systems take as `CFData` without a word.
  public convenience init?(data: NSData) {
    self.init(data: Data(referencing: data))
  }

  /// A provider of a file's bytes, or `nil` where the file cannot be read.
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
