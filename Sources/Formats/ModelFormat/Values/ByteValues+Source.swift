import Tensors

/// What a file keeps may be the values of a constant as it is.
extension ByteValues: ByteSource {
  public var byteCount: Int { count }

  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try withUnsafeBytes(body)
  }

  public func giveBackPages() { storage?.giveBackPages(start..<start + count) }
}
