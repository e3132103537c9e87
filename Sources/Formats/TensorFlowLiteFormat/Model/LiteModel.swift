import Foundation
import ModelFormat
import Tensors

/// What a TensorFlow Lite file says, before anything is computed of it. Weights stay in the mapped file.
///
/// **Source:** schema.fbs of TensorFlow Lite, version 3.
package struct LiteModel: Sendable {
  /// A tensor of a subgraph.
  package struct Tensor: Sendable {
    /// The name; may be empty.
    package let name: String
    /// The type of the elements.
    package let element: LiteElement
    /// The extents that the file states.
    package let shape: [Int]
    /// Whether an extent is open, axis by axis: the file's shape then holds a 1 in its place.
    package let isOpen: [Bool]
    /// The values where they do not change; empty for all others.
    package let bytes: ByteValues
    /// What the whole numbers stand for.
    package let quantization: LiteQuantization?
    /// Whether it is kept between runs.
    package let isVariable: Bool
    /// Whether zeros are left out of the bytes.
    package let isSparse: Bool
  }

  /// An operator of a subgraph.
  package struct Operation: Sendable {
    /// The number of its kind; ``LiteOperatorNames/custom`` for those that have a name instead.
    package let code: Int
    /// The name of the kind.
    package let kind: String
    /// The tensors that it reads; −1 for those that are left out.
    package let inputs: [Int]
    /// The tensors that it makes.
    package let outputs: [Int]
    /// Its settings.
    let options: FlatTable?
    /// The number of the settings' kind; 0 where the file states none.
    let optionsKind: Int
    /// The settings of a kind with a name.
    let customOptions: ByteValues?
  }

  /// A graph: the first is the model, others are run by operators of it.
  package struct Subgraph: Sendable {
    /// The name; may be empty.
    package let name: String
    /// All tensors.
    package let tensors: [Tensor]
    /// The tensors that a caller gives.
    package let inputs: [Int]
    /// The tensors that a caller gets.
    package let outputs: [Int]
    /// The operators in an order in which they can run.
    package let operations: [Operation]
  }

  /// The letters at the fifth byte of every file.
  package static let identifier = "TFL3"

  /// A sentence for people; may be empty.
  package let description: String
  /// The graphs; at least one.
  package let subgraphs: [Subgraph]

  /// Reads a file's structure.
  ///
  /// - Throws: ``EngineError``, with the file's name in front.
  package init(contentsOf url: URL) throws {
    do {
      try self.init(try MappedFile(path: url.path).bytes)
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    } catch let error as EngineError {
      throw EngineError(error.code, "'\(url.lastPathComponent)': \(error.message)")
    }
  }

  /// Reads the structure of a file's bytes.
  package init(_ bytes: ByteValues) throws {
    guard FlatBuffer.hasIdentifier(Self.identifier, in: Array(bytes.prefix(8))) else {
      throw EngineError(
        .invalidModel,
        "This is no TensorFlow Lite model: the bytes 5 to 8 are not '\(Self.identifier)'.")
    }
    let root: FlatTable = try FlatBuffer(bytes: bytes).root()
    let version: Int = try root.int(0)
    guard version == 3 else {
      throw EngineError(
        .unsupported,
        "The file has version \(version) of the format, expected 3. Convert the model anew.")
    }
    description = try root.string(3)
    let parts = try Parts(root)
    subgraphs = try root.tables(2).map { try Subgraph($0, parts) }
    guard !subgraphs.isEmpty else {
      throw EngineError(.invalidModel, "The file holds no graph. It may be cut off.")
    }
  }

  /// What subgraphs share, and how much of the file was read so far.
  fileprivate final class Parts {
    private(set) var codes: [(code: Int, name: String)] = []
    let buffers: [FlatTable]
    let file: FlatBuffer
    /// By the positions of their tables: many tensors may share one, and its lists are kept once.
    private var quantizations: [Int: LiteQuantization?] = [:]
    private var readCount = 0

    init(_ root: FlatTable) throws {
      (buffers, file) = (try root.tables(4), root.buffer)
      for table in try root.tables(1) {
        let kind = try LiteModel.kind(table)
        try count(4 + (kind.code == LiteOperatorNames.custom ? kind.name.utf8.count : 0))
        codes.append(kind)
      }
    }

    /// Counts bytes of lists and names that were read. A sound file holds each of them once.
    ///
    /// - Throws: ``EngineError`` for a file whose parts lead to the same places again and again.
    func count(_ read: Int) throws {
      readCount = [readCount, read].saturatingSum
      guard readCount <= [2 * file.bytes.count, 1 << 20].saturatingSum else {
        throw FlatBuffer.damaged("its parts lead to the same places again and again")
      }
    }

    /// What the numbers of a tensor stand for.
    func quantization(_ table: FlatTable?) throws -> LiteQuantization? {
      guard let table else { return nil }
      if let known = quantizations[table.position] { return known }
      let made = try LiteQuantization(table)
      try count(12 * (made?.scales.count ?? 0))
      quantizations[table.position] = .some(made)
      return made
    }

    /// The bytes of a buffer: within the table, or after it in files of more than 2 GB.
    func bytes(_ buffer: Int) throws -> ByteValues {
      guard buffers.indices.contains(buffer) else {
        throw EngineError(
          .invalidModel, "it names buffer \(buffer) of \(buffers.count). The file may be damaged.")
      }
      let table: FlatTable = buffers[buffer]
      let offset: Int = try table.int(1, as: Int64.self)
      if offset > 1 {
        return try file.slice(from: offset, count: try table.int(2, as: Int64.self))
      }
      return try table.bytes(0) ?? ByteValues()
    }
  }

  private static func kind(_ table: FlatTable) throws -> (code: Int, name: String) {
    // Files before the 128th kind have the number in a byte; later ones have both.
    let code: Int = max(try table.int(0, as: Int8.self), try table.int(3))
    if code == LiteOperatorNames.custom { return (code, try table.string(1)) }
    return (code, LiteOperatorNames.name(code))
  }
}

extension LiteModel.Subgraph {
  fileprivate init(_ table: FlatTable, _ parts: LiteModel.Parts) throws {
    name = try table.string(4)
    let tables: [FlatTable] = try table.tables(0)
    try parts.count(4 * tables.count)
    tensors = try tables.enumerated().map { index, table in
      try LiteModel.Tensor(table, index, parts)
    }
    let known: Range<Int> = tensors.indices
    /// Tensors by their numbers, all of which must exist.
    func checked(_ numbers: [Int], _ owner: String, mayMiss: Bool = false) throws -> [Int] {
      for number in numbers where !known.contains(number) && !(mayMiss && number == -1) {
        throw EngineError(
          .invalidModel,
          "\(owner) names tensor \(number) of \(known.count). The file may be damaged.")
      }
      return numbers
    }
    inputs = try checked(try table.ints(1) ?? [], "The graph")
    outputs = try checked(try table.ints(2) ?? [], "The graph")
    try parts.count(4 * (inputs.count + outputs.count))
    operations = try table.tables(3).enumerated().map { index, table in
      let owner = "Operator \(index)"
      let code: Int = try table.int(0)
      guard parts.codes.indices.contains(code) else {
        throw EngineError(
          .invalidModel,
          "\(owner) is of kind \(code) of \(parts.codes.count). The file may be damaged.")
      }
      let operation = LiteModel.Operation(
        code: parts.codes[code].code, kind: parts.codes[code].name,
        inputs: try checked(try table.ints(1) ?? [], owner, mayMiss: true),
        outputs: try checked(try table.ints(2) ?? [], owner),
        options: try table.table(4), optionsKind: try table.byte(3),
        customOptions: try table.bytes(5))
      // Many operators may share one long list in the file, but not in memory.
      try parts.count(4 * (1 + operation.inputs.count + operation.outputs.count))
      return operation
    }
  }
}

extension LiteModel.Tensor {
  fileprivate init(_ table: FlatTable, _ index: Int, _ parts: LiteModel.Parts) throws {
    name = try table.string(3)
    do {
      let number: Int = try table.byte(1)
      guard let element = LiteElement(rawValue: number) else {
        throw EngineError(.unsupported, "its elements are of type \(number), which is not known.")
      }
      self.element = element
      shape = try table.ints(0) ?? []
      let signature: [Int] = try table.ints(7) ?? shape
      try parts.count(name.utf8.count + 4 * (shape.count + signature.count))
      isOpen = signature.count == shape.count ? signature.map { $0 < 0 } : shape.map { _ in false }
      guard shape.count <= 16, shape.allSatisfy({ (0...Int(Int32.max)).contains($0) }),
        Shape(shape).isMeasurable
      else {
        throw EngineError(.invalidModel, "its shape \(Shape(shape)) cannot be.")
      }
      bytes = try parts.bytes(try table.int(2, as: UInt32.self))
      quantization = try parts.quantization(try table.table(4))
      isVariable = try table.bool(5)
      isSparse = try table.table(6) != nil
    } catch let error as EngineError {
      throw error.naming("Tensor", name.isEmpty ? String(index) : name)
    }
  }
}
