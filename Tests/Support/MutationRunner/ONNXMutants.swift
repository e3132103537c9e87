import Engine
import Foundation
import ModelFormat
import ONNXFormat

/// Reads and runs damaged copies of ONNX models, all in this process.
///
/// Each must give an error in a sentence or an answer within ten seconds and a gigabyte; who takes longer is ended by
/// the alarm, who asks for more gets none. The last line on the error output says which mutant ran last.
struct ONNXMutants {
  private let models: [(name: String, bytes: [UInt8])]
  private let seed: UInt64

  /// All models in folders below one, as Scripts/write_onnx_tests.py writes them.
  init(folder: String, seed: UInt64) throws {
    let url = URL(fileURLWithPath: folder)
    var models: [(name: String, bytes: [UInt8])] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let file = url.appendingPathComponent(name).appendingPathComponent("model.onnx")
      guard let data = try? Data(contentsOf: file), data.count < 1 << 20 else { continue }
      models.append((name, [UInt8](data)))
    }
    self.models = models
    self.seed = seed
  }

  /// Tries mutants; false where one has no sentence.
  func run(_ numbers: Range<Int>) throws -> Bool {
    try limitMemory(toMore: 1 << 30)
    var (computed, refused) = (0, 0)
    for number in numbers {
      var generator = SplitMix(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
      let model = models[Int.random(in: models.indices, using: &generator)]
      FileHandle.standardError.write(Data("mutant \(number) of \(model.name)\n".utf8))
      alarm(10)
      do {
        try compute(damaged(model.bytes, &generator), &generator)
        computed += 1
      } catch {
        refused += 1
        guard "\(error)".count > 20 else {
          print("mutant \(number) of \(model.name) has no sentence: \(error)")
          return false
        }
      }
    }
    alarm(0)
    print("\(numbers.count) mutants: \(computed) computed, \(refused) refused")
    return true
  }

  /// Some numbers, texts or messages changed, or the end cut off.
  private func damaged(_ bytes: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
    if Int.random(in: 0..<12, using: &generator) == 0 {
      return Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
    }
    guard var tree = WireTree(bytes[...]) else { return bytes }
    if Int.random(in: 0..<8, using: &generator) == 0 { tree.exchangeNames(using: &generator) }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      tree.damage(Int.random(in: 0..<max(1, tree.count), using: &generator), using: &generator)
    }
    return tree.bytes
  }

  private func compute(_ bytes: [UInt8], _ generator: inout SplitMix) throws {
    let model: GraphModel = try ONNXReader.read(ByteValues(bytes), name: "mutant")
    let options = ExecutionOptions(
      precision: .float32, threads: 2, memoryLimit: 1 << 28, loopLimit: 300)
    let network = Network(model.graph, passes: GraphPasses.standard, options: options)
    let types: [TensorType] = model.inputs.map { feature in
      let extents: [Int] = (feature.extents ?? []).map { $0.fixed ?? max($0.lower, 3) }
      return TensorType(Shape(extents), feature.held)
    }
    let plan: PreparedPlan = try network.plan(for: types)
    guard types.allSatisfy({ $0.shape.count <= 1_000_000 }) else { return }
    try plan.withSession { session in
      for (position, type) in types.enumerated() where type.shape.count > 0 {
        let port: BorderTensor = session.input(position)
        let numbers: [Double] = (0..<type.shape.count).map { _ in
          Double(Int.random(in: -2...4, using: &generator))
        }
        TensorCodec.pack(
          ReferenceTensor(type.shape, numbers).converted(to: type.element), as: port.form,
          into: port.memory)
      }
      try session.run()
      for position in model.graph.outputs.indices { _ = try session.output(position).form }
    }
    _ = try? ONNXWriter.message(for: model)
  }
}
