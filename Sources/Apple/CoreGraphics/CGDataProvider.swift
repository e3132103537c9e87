import Foundation

/// A function that frees the bytes of a data provider.
public typealias CGDataProviderReleaseDataCallback =
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeRawPointer, Int
  ) -> Void

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

  /// Makes a provider of bytes in memory, which it copies.
  ///
  /// - Parameters:
  ///   - info: Any pointer, which `releaseData` gets. It may be nil.
  ///   - data: The bytes.
  ///   - size: The number of bytes.
  ///   - releaseData: Called with `info`, `data` and `size` as soon as the bytes are copied.
  public init?(
    dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
    releaseData: CGDataProviderReleaseDataCallback
  ) {
    guard size >= 0 else { return nil }
    // Safe: the caller states how many bytes there are.
    let copy = Data(bytes: data, count: size)
    releaseData(info, data, size)
    self.bytes = { copy }
  }

  init(_ bytes: @escaping @Sendable () -> Data?) {
    self.bytes = bytes
  }

  /// The bytes.
  public var data: CFData? { bytes() }
}
