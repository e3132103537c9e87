/// A weight file of an ML Program: MIL blob storage, version 2.
///
/// The file begins with a header of 64 bytes: the number of blobs and the version. Each blob has a record of 64 bytes,
/// and its data after the record. The record holds a sentinel 0xDEADBEEF, the element type, the data's size in bytes,
/// the data's offset in the file, and the number of unused bits at the data's end. All numbers are little-endian.
/// Records and data are aligned to 64 bytes.
public struct BlobFile: Sendable {
  /// The element type of a blob. Elements narrower than a byte are packed from the lowest bit up.
  public enum DataType: UInt32, Sendable, CaseIterable {
    case float16 = 1
    case float32, uint8, int8, bfloat16, int16, uint16, int4, uint1, uint2, uint4, uint3, uint6
    case int32, uint32, float8e4m3fn, float8e5m2

    /// The width of an element, in bits.
    public var bitWidth: Int {
      switch self {
      case .uint1: 1
      case .uint2: 2
      case .uint3: 3
      case .int4, .uint4: 4
      case .uint6: 6
      case .uint8, .int8, .float8e4m3fn, .float8e5m2: 8
      case .float16, .bfloat16, .int16, .uint16: 16
      case .float32, .int32, .uint32: 32
      }
    }
  }

  /// One constant in the file.
  public struct Blob: Sendable {
    /// The type of the elements.
    public var dataType: DataType
    /// The elements, a slice of the mapped file.
    public var bytes: ByteValues
    /// The number of elements.
    public var count: Int
  }

  static let sentinel: UInt32 = 0xDEAD_BEEF
  static let recordSize = 64

  /// The file's name in errors.
  public let name: String
  /// The number of blobs that the header claims.
  public let claimedCount: Int
  private let bytes: ByteValues

  /// Maps the file at `path`.
  public init(path: String) throws {
    try self.init(bytes: MappedFile(path: path).bytes, name: "'\(path)'")
  }

  /// Reads the header of a weight file in memory.
  public init(bytes: ByteValues, name: String) throws {
    self.bytes = bytes
    self.name = name
    guard bytes.count >= BlobFile.recordSize else {
      throw ModelFormatError(
        code: .damaged,
        message: "Weight file \(name) has \(bytes.count) bytes, expected a header of 64. "
          + "The file may be truncated.")
    }
    let version: UInt32 = bytes.loadLittleEndian(at: 4)
    guard version == 2 else {
      throw ModelFormatError(
        code: .unsupported,
        message: "Weight file \(name) has blob storage version \(version), expected 2.")
    }
    claimedCount = Int(bytes.loadLittleEndian(at: 0) as UInt32)
  }

  /// Returns the blob whose record begins at byte `offset`. A `BlobFileValue` states this offset.
  public func blob(at offset: UInt64) throws -> Blob {
    let size: Int = BlobFile.recordSize
    guard let start = Int(exactly: offset), bytes.count >= size, start <= bytes.count - size else {
      throw damaged(
        "the record at \(offset) ends beyond the file's \(bytes.count) bytes. "
          + "The file may be truncated.")
    }
    guard start % size == 0 else {
      throw damaged("the record at \(offset) is not aligned to 64 bytes.")
    }
    let found: UInt32 = bytes.loadLittleEndian(at: start)
    guard found == BlobFile.sentinel else {
      let digits = String(found, radix: 16, uppercase: true)
      throw damaged("expected the mark DEADBEEF at \(offset), found \(digits).")
    }
    let typeNumber: UInt32 = bytes.loadLittleEndian(at: start + 4)
    guard let dataType = DataType(rawValue: typeNumber) else {
      throw ModelFormatError(
        code: .unsupported,
        message: "Weight file \(name): the blob at \(offset) has element type \(typeNumber), "
          + "expected 1 to 17.")
    }
    let claimed: UInt64 = bytes.loadLittleEndian(at: start + 8)
    let dataOffset: UInt64 = bytes.loadLittleEndian(at: start + 16)
    guard let length = Int(exactly: claimed), let dataStart = Int(exactly: dataOffset),
      let data = bytes.slice(from: dataStart, count: length)
    else {
      throw damaged(
        "the blob at \(offset) has \(claimed) bytes from byte \(dataOffset) on, but the file has "
          + "\(bytes.count). The file may be truncated.")
    }
    let padding: UInt64 = dataType.bitWidth < 8 ? bytes.loadLittleEndian(at: start + 24) : 0
    guard padding < 8, length > 0 || padding == 0 else {
      throw damaged("the blob at \(offset) claims \(padding) bits of padding, expected below 8.")
    }
    // The multiplication cannot overflow, because no file has 2⁶⁰ bytes.
    let bits: Int = length * 8 - Int(padding)
    guard bits % dataType.bitWidth == 0 else {
      throw damaged("the blob at \(offset) ends within an element of \(dataType.bitWidth) bits.")
    }
    return Blob(dataType: dataType, bytes: data, count: bits / dataType.bitWidth)
  }

  private func damaged(_ sentence: String) -> ModelFormatError {
    ModelFormatError(code: .damaged, message: "Weight file \(name): \(sentence)")
  }
}

extension ByteValues {
  /// Reads the little-endian number that begins at byte `offset`. The caller must ensure that all bytes of the number
  /// are within this value.
  func loadLittleEndian<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
    precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size)
    return withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }
}
