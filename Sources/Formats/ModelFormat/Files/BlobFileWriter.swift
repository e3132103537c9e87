import Foundation

/// Writes a weight file of an ML Program: MIL blob storage, version 2. See ``BlobFile``.
public final class BlobFileWriter {
  private let path: String
  private let file: FileHandle
  private var end: Int = 0
  private var count: UInt32 = 0

  /// Creates the file, or empties an existing file.
  public init(path: String) throws {
    self.path = path
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else {
      throw ModelFormatError(
        code: .unwritable, message: "The weight file '\(path)' cannot be created.")
    }
    self.file = file
    try write(Data(count: BlobFile.recordSize))
  }

  deinit { try? file.close() }

  /// The number of blobs written so far.
  public var blobCount: Int { Int(count) }

  /// Adds a blob.
  ///
  /// - Parameters:
  ///   - type: The element type. Elements narrower than a byte are packed from the lowest bit up.
  ///   - count: The number of elements.
  ///   - bytes: The elements, little-endian. The last byte may have unused bits.
  /// - Returns: The offset of the blob's record in the file, in bytes. A `BlobFileValue` states this offset.
  public func add(_ type: BlobFile.DataType, count: Int, _ bytes: ByteValues) throws -> UInt64 {
    precondition(
      bytes.count == (count * type.bitWidth + 7) / 8,
      "\(bytes.count) bytes for \(count) elements of \(type.bitWidth) bits")
    let size: Int = BlobFile.recordSize
    try pad()
    let record: Int = end
    var header = Data()
    header.append(littleEndian: BlobFile.sentinel)
    header.append(littleEndian: type.rawValue)
    header.append(littleEndian: UInt64(bytes.count))
    header.append(littleEndian: UInt64(record + size))
    header.append(littleEndian: UInt64(bytes.count * 8 - count * type.bitWidth))
    header.append(Data(count: size - header.count))
    try write(header)
    try bytes.withUnsafeBytes { view in
      // Safe: the data is written before the call returns, and nothing stores the pointer.
      guard let base = view.baseAddress else { return }
      try write(
        Data(
          bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: view.count,
          deallocator: .none))
    }
    self.count += 1
    return UInt64(record)
  }

  /// Writes the number of blobs and closes the file.
  public func finish() throws {
    try pad()
    var header = Data()
    header.append(littleEndian: count)
    header.append(littleEndian: UInt32(2))
    do {
      try file.seek(toOffset: 0)
      try file.write(contentsOf: header)
      try file.close()
    } catch { throw unwritable(error) }
  }

  private func pad() throws {
    let rest: Int = end % BlobFile.recordSize
    if rest > 0 { try write(Data(count: BlobFile.recordSize - rest)) }
  }

  private func write(_ data: Data) throws {
    do { try file.write(contentsOf: data) } catch { throw unwritable(error) }
    end += data.count
  }

  private func unwritable(_ cause: any Error) -> ModelFormatError {
    ModelFormatError(
      code: .unwritable, message: "The weight file '\(path)' cannot be written. Is the disk full?",
      cause: cause)
  }
}

extension Data {
  fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
