import Graph
import ModelFormat

/// The parts of a written program that all its blocks share: the unique names, the weight file and the opset.
package final class ProgramOutput {
  /// An error that makes the writer start again with a later opset.
  struct NeedsLaterSet: Error { let opset: Opset }

  private struct Key: Hashable {
    let identity: Constant.Identity
    let element: ElementType
    let part: String
  }

  /// The program's opset.
  let opset: Opset
  /// The floating-point type in which the program computes.
  let real: ElementType
  /// The weight file. Nil while the writer finds out which opset the program needs.
  private let blobs: BlobFileWriter?
  private let names = UniqueNames(separator: "_", firstNumber: 1)
  private var offsets: [Key: UInt64] = [:]

  init(_ opset: Opset, real: ElementType, blobs: BlobFileWriter?) {
    self.opset = opset
    self.real = real
    self.blobs = blobs
  }

  /// Throws if the opset of the program is earlier than `opset`. The program's opset then lacks an operation.
  func require(_ opset: Opset) throws {
    if self.opset < opset { throw NeedsLaterSet(opset: opset) }
  }

  /// Returns a unique name for a wanted one. Changes characters that programs do not allow.
  func name(_ wanted: String) -> String {
    names.fresh(Self.identifier(wanted))
  }

  /// Returns a text as an identifier. An identifier consists of letters, digits and underscores, and does not begin
  /// with a digit.
  static func identifier(_ text: String) -> String {
    var name = String(
      text.unicodeScalars.map { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
          ? Character(scalar) : "_"
      })
    if name.isEmpty || name.first?.isNumber == true { name = "_" + name }
    return name
  }

  /// Stores the numbers of a constant: 16 or more numbers in the weight file, fewer in the program. Numbers of a type
  /// that a weight file does not have are stored in the program, too.
  func value(_ tensor: ReferenceTensor, _ element: ElementType) throws -> Spec.MILSpec.Value {
    guard tensor.shape.count >= 16, element.blobType != nil else {
      return .numbers(tensor, element)
    }
    let offset: UInt64 = try add(element, tensor.shape.count) { tensor.packedBytes(of: element) }
    return .blob(at: offset, element, tensor.shape)
  }

  /// Stores the numbers of a constant in a floating-point type: 16 or more numbers in the weight file, fewer in the
  /// program. The weight file holds each constant only once.
  func value(_ constant: Constant, real element: ElementType) throws -> Spec.MILSpec.Value {
    guard constant.count >= 16 else {
      return .numbers(ReferenceTensor(constant.shape, try constant.doubles()), element)
    }
    return try storedOnce(constant, element, "") { try constant.realBytes(of: element) }
  }

  /// Stores a part of a constant in the weight file, such as its scales. `part` is the name of the part. The same part
  /// of a constant is stored only once.
  func storedOnce(
    _ constant: Constant, _ element: ElementType, _ part: String, shape: Shape? = nil,
    _ bytes: () throws -> [UInt8]
  ) throws -> Spec.MILSpec.Value {
    let key = Key(identity: constant.identity, element: element, part: part)
    let offset: UInt64
    if let known = offsets[key] {
      offset = known
    } else {
      offset = try add(element, (shape ?? constant.shape).count, bytes)
      offsets[key] = offset
    }
    return .blob(at: offset, element, shape ?? constant.shape)
  }

  private func add(_ element: ElementType, _ count: Int, _ bytes: () throws -> [UInt8]) throws
    -> UInt64
  {
    guard let type = element.blobType else {
      throw EngineError(.unsupported, "weight files cannot hold numbers of type \(element).")
    }
    guard let blobs else { return 0 }
    return try blobs.add(type, count: count, ByteValues(try bytes()))
  }
}
