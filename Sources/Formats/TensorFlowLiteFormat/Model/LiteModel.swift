import Foundation
import ModelFormat
import Tensors

/// The content of a TensorFlow Lite file. Weights stay in the mapped file.
///
/// **Source:** schema.fbs of TensorFlow Lite, version 3.
package struct LiteModel: Sendable {
  /// A tensor of a subgraph.
  package struct Tensor: Sendable {
    /// The name, which may be empty.
    package let name: String
    /// The type of the elements.
    package let element: LiteElement
    /// The extents in the file.
    package let shape: [Int]
    /// For each axis, whether its extent is dynamic. `shape` has a 1 for such an axis.
    package let isOpen: [Bool]
    /// The values of a constant tensor. Empty for other tensors.
    package let bytes: ByteValues
    /// The scales and zero points by which the tensor's integers represent real numbers. Nil if the tensor is not
    /// quantised.
    package let quantization: LiteQuantization?
    /// Whether the tensor is a state. A state keeps its values between runs.
    package let isVariable: Bool
    /// Whether the file stores the tensor in sparse form. In sparse form, `bytes` omits zeros.
    package var isSparse: Bool { sparsity != nil }
    /// Where the values of a tensor in sparse form belong. Nil for other tensors.
    let sparsity: LiteSparsity?
  }

  /// An operator of a subgraph.
  package struct Operation: Sendable {
    /// The operator's code in the file. If the file states a name instead, the code is ``LiteOperatorNames/custom``.
    package let code: Int
    /// The operator's name.
    package let kind: String
    /// The indices of the tensors that the operator reads. An omitted input is −1.
    package let inputs: [Int]
    /// The indices of the tensors that the operator computes.
    package let outputs: [Int]
    /// The operator's options. Nil if the file states none.
    let options: FlatTable?
    /// The number of the options' type in `BuiltinOptions`. 0 if the file states no options.
    let optionsKind: Int
    /// The options of a custom operator. Nil for other operators.
    let customOptions: ByteValues?
  }

  /// A graph of the file. The first graph of the file is the model. Operators such as loops may run the graphs that
  /// follow.
  package struct Subgraph: Sendable {
    /// The name, which may be empty.
    package let name: String
    /// All tensors of the graph.
    package let tensors: [Tensor]
    /// The indices of the tensors that a caller provides.
    package let inputs: [Int]
    /// The indices of the tensors that a caller receives.
    package let outputs: [Int]
    /// The operators in an order in which they can run.
    package let operations: [Operation]
  }

  /// The identifier: the fifth to the eighth byte of every file.
  package static let identifier = "TFL3"

  /// The model's description, which may be empty.
  package let description: String
  /// The graphs. There is at least one.
  package let subgraphs: [Subgraph]

  /// Reads the structure of a file.
  ///
  /// - Throws: ``EngineError``. The error's sentence begins with the file's name.
  package init(contentsOf url: URL) throws {
    do {
      try self.init(try MappedFile(path: url.path).bytes)
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    } catch let error as EngineError {
      throw EngineError(error.code, "'\(url.lastPathComponent)': \(error.message)")
    }
  }

  /// Reads the structure of a file from the file's bytes.
  package init(_ bytes: ByteValues) throws {
    guard FlatBuffer.hasIdentifier(Self.identifier, in: Array(bytes.prefix(8))) else {
      throw EngineError(
        .invalidModel,
        "This is not a TensorFlow Lite model: bytes 5 to 8 are not '\(Self.identifier)'.")
    }
    let root: FlatTable = try FlatBuffer(bytes: bytes).root()
    let version: Int = try root.int(0)
    guard version == 3 else {
      throw EngineError(
        .unsupported,
        "The file has version \(version) of the format, expected 3. Convert the model again.")
    }
    description = try root.string(3)
    let parts = try Parts(root)
    subgraphs = try root.tables(2).map { try Subgraph($0, parts) }
    guard !subgraphs.isEmpty else {
      throw EngineError(.invalidModel, "The file holds no graph. It may be truncated.")
    }
  }

  /// The parts of a file that its subgraphs share. Also counts the bytes of lists and names that are read, and refuses
  /// a file whose subgraphs refer to the same bytes too often.
  fileprivate final class Parts {
    private(set) var operatorCodes: [(code: Int, name: String)] = []
    let buffers: [FlatTable]
    let file: FlatBuffer
    /// The quantisations by the positions of their tables. Many tensors may share a table. This dictionary stores the
    /// lists of a shared table once.
    private var quantizations: [Int: LiteQuantization?] = [:]
    private var readCount = 0

    init(_ root: FlatTable) throws {
      (buffers, file) = (try root.tables(4), root.buffer)
      for table in try root.tables(1) {
        let kind = try LiteModel.kind(table)
        try count(4 + (kind.code == LiteOperatorNames.custom ? kind.name.utf8.count : 0))
        operatorCodes.append(kind)
      }
    }

    /// Counts bytes of lists and names before they are read. A valid file refers to each list or name once.
    ///
    /// - Throws: ``EngineError`` for a file whose parts refer to the same bytes many times.
    func count(_ read: Int) throws {
      readCount = [readCount, read].saturatingSum
      guard readCount <= [2 * file.bytes.count, 1 << 20].saturatingSum else {
        throw FlatBuffer.damaged("its parts refer to the same bytes many times")
      }
    }

    /// Reads the scales and zero points of a tensor. Returns nil if the tensor is not quantised.
    func quantization(_ table: FlatTable?) throws -> LiteQuantization? {
      guard let table else { return nil }
      if let known = quantizations[table.position] { return known }
      let made = try LiteQuantization(table)
      try count(12 * (made?.scales.count ?? 0))
      quantizations[table.position] = .some(made)
      return made
    }

    /// Returns the bytes of a buffer. The file stores them in the buffer's table or, in files of more than 2 GB, after
    /// all tables.
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
    // Older files hold the operator's code in a byte that cannot exceed 127. Newer files have this byte, and the code
    // in a second field of 32 bits.
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
    /// Returns indices of tensors. Throws if a tensor with one of the indices does not exist.
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
      guard parts.operatorCodes.indices.contains(code) else {
        throw EngineError(
          .invalidModel,
          "\(owner) has operator code \(code) of \(parts.operatorCodes.count). The file may be damaged."
        )
      }
      let operation = LiteModel.Operation(
        code: parts.operatorCodes[code].code, kind: parts.operatorCodes[code].name,
        inputs: try checked(try table.ints(1) ?? [], owner, mayMiss: true),
        outputs: try checked(try table.ints(2) ?? [], owner),
        options: try table.table(4), optionsKind: try table.byte(3),
        customOptions: try table.bytes(5))
      // In the file, many operators may share one long list. In memory, each operator has its own copy of the list. So
      // the copies count as bytes that were read.
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
        throw EngineError(.unsupported, "its elements have the unknown type \(number).")
      }
      self.element = element
      shape = try table.ints(0) ?? []
      let signature: [Int] = try table.ints(7) ?? shape
      try parts.count(name.utf8.count + 4 * (shape.count + signature.count))
      isOpen = signature.count == shape.count ? signature.map { $0 < 0 } : shape.map { _ in false }
      guard shape.count <= 16, shape.allSatisfy({ (0...Int(Int32.max)).contains($0) }),
        Shape(shape).isMeasurable
      else {
        throw EngineError(
          .invalidModel, "its shape \(Shape(shape)) is not valid, expected extents from 0 on.")
      }
      bytes = try parts.bytes(try table.int(2, as: UInt32.self))
      quantization = try parts.quantization(try table.table(4))
      isVariable = try table.bool(5)
      let rank: Int = shape.count
      let stored: LiteSparsity? = try table.table(6).map { try LiteSparsity($0, rank: rank) }
      try parts.count([8, stored?.storedCount ?? 0].product)
      sparsity = stored
    } catch let error as EngineError {
      throw error.naming("Tensor", name.isEmpty ? String(index) : name)
    }
  }
}
