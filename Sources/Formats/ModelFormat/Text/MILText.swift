/// An ML Program in the text form of Apple's compiler: `model.mil` of a `.mlmodelc`.
///
/// Reading and then printing a text in the compiler's layout gives the same text, byte for byte. Besides the program,
/// this type stores the parts of the text that the program's message cannot express.
public struct MILText: Equatable, Sendable {
  /// The version of the language: `program(1.3)`.
  public struct Version: Equatable, Sendable {
    /// The number before the point.
    public var major: Int
    /// The number after the point.
    public var minor: Int

    /// Makes a version from its two numbers.
    public init(_ major: Int, _ minor: Int) {
      self.major = major
      self.minor = minor
    }

    /// Whether scalars have types of their own, as in `fp32(0x1p+0)`. In version 1.0, scalars are tensors without
    /// dimensions, as in `tensor<fp32, []>(0x1p+0)`.
    var namesScalars: Bool { (major, minor) > (1, 0) }

    /// Makes the version that Apple's compiler writes for a model with this specification version.
    public init(specificationVersion: Int32) {
      self.init(1, specificationVersion >= 9 ? 3 : 0)
    }
  }

  /// The version at the start of the text.
  public var version: Version
  /// The program.
  public var program: Spec.MILSpec.Program
  /// The functions' names in the order of the text. The program's message does not store an order.
  public var functionNames: [String]
  /// Whether the text ends with a newline.
  public var endsWithNewline: Bool

  /// Makes the text of a program, with its functions sorted by name.
  public init(_ program: Spec.MILSpec.Program, version: Version) {
    self.version = version
    self.program = program
    functionNames = program.functions.keys.sorted()
    endsWithNewline = false
  }

  /// Reads a text.
  ///
  /// - Parameter name: The model's name in errors, such as `'x.mlmodelc'`.
  /// - Throws: `ModelFormatError` that names the line. If the fault is within an operation, the error also names the
  ///   operation.
  public init(parsing text: ByteValues, name: String = "in memory") throws {
    var reader = MILTextReader(text, name: name)
    self = try reader.readProgram()
  }

  init(version: Version, endsWithNewline: Bool) {
    self.version = version
    self.endsWithNewline = endsWithNewline
    program = Spec.MILSpec.Program()
    program.version = Int64(version.major)
    functionNames = []
  }

  /// The text's bytes.
  public var utf8: [UInt8] {
    var writer = MILTextWriter(namesScalars: version.namesScalars)
    writer.write(self)
    return writer.bytes
  }
}

extension MILText: CustomStringConvertible {
  /// The text.
  public var description: String { String(decoding: utf8, as: UTF8.self) }
}

extension Spec.MILSpec.Function {
  /// The block for the function's own opset. If there is no such block, the block with the alphabetically first opset.
  var block: Spec.MILSpec.Block? {
    blockSpecializations[opset] ?? blockSpecializations.min { $0.key < $1.key }?.value
  }
}
