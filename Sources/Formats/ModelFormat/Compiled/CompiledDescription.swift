/// The content of the file `coremldata.bin` in a compiled ML Program.
///
/// Little-endian, without padding. The format was derived from files that Apple's compiler wrote:
///
/// | bytes | |
/// |---|---|
/// | 4 | the number of the model's type, as in `Spec.Model`: 502 |
/// | 4 | a version, or in newer compilers the version of the specification |
/// | 20 | zero |
/// | 8 + 7 | the length of a string, and the string: `generic` |
/// | 4 | the version of the specification |
/// | 28 | zero |
/// | 8 + n | the length of the model's description, and the description as a message |
/// | 16 for each function | the number of the model's type (4 bytes), and 12 bytes of zero |
struct CompiledDescription {
  static let fileName = "coremldata.bin"
  private static let programType: UInt32 = 502
  private static let target = "generic"

  /// The version of the specification.
  var specificationVersion: Int32
  /// The inputs, outputs and metadata.
  var description: Spec.ModelDescription

  init(specificationVersion: Int32, description: Spec.ModelDescription) {
    self.specificationVersion = specificationVersion
    self.description = description
  }

  /// Reads the file.
  ///
  /// - Parameter name: The model's name in errors.
  init(_ bytes: ByteValues, name: String) throws {
    func damaged(_ what: String) -> ModelFormatError {
      ModelFormatError(
        code: .damaged,
        message: "Model \(name): \(Self.fileName) \(what). The file may be truncated.")
    }
    guard bytes.count >= 36 else {
      throw damaged("has \(bytes.count) bytes, expected a header of 36")
    }
    let type: UInt32 = bytes.loadLittleEndian(at: 0)
    guard type == Self.programType else {
      throw damaged("begins with \(type), expected \(Self.programType), an ML Program")
    }
    let length: UInt64 = bytes.loadLittleEndian(at: 28)
    let start = 36
    // The sum cannot overflow, because the first condition limits `length` to the file's size.
    guard length < UInt64(bytes.count), bytes.count >= start + Int(length) + 40 else {
      throw damaged("has a string of \(length) bytes at byte 28, beyond its end")
    }
    let version: UInt32 = bytes.loadLittleEndian(at: start + Int(length))
    let position: Int = start + Int(length) + 40
    let size: UInt64 = bytes.loadLittleEndian(at: position - 8)
    guard let count = Int(exactly: size), let message = bytes.slice(from: position, count: count)
    else {
      throw damaged("has a description of \(size) bytes at byte \(position), beyond its end")
    }
    specificationVersion = Int32(clamping: version)
    description = try Spec.ModelDescription(serialized: message, name: name)
  }

  /// Returns the file's bytes for a program with `functionCount` functions.
  func bytes(functionCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    func add<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
    }
    func addZeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
    var complete: Spec.ModelDescription = description
    if complete.metadata == nil { complete.metadata = Spec.Metadata() }
    let message: [UInt8] = complete.serialized()
    add(Self.programType)
    add(specificationVersion)
    addZeros(20)
    add(UInt64(Self.target.utf8.count))
    bytes += Array(Self.target.utf8)
    add(specificationVersion)
    addZeros(28)
    add(UInt64(message.count))
    bytes += message
    for _ in 0..<max(functionCount, 1) {
      add(Self.programType)
      addZeros(12)
    }
    return bytes
  }
}
