import Tensors

/// Lets a constant use the bytes of a file as its values, without a copy.
extension ByteValues: ByteSource {
  public var byteCount: Int { count }

  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try withUnsafeBytes(body)
  }

  public func releasePages() { storage?.releasePages(start..<start + count) }
}
