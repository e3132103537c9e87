import Graph
import ModelFormat
import Operators

/// Branches and loops. The graphs inside of a node become regions. If a branch's condition is known, the chosen graph
/// is built in place of the node.
enum ControlFlowReaders {
  static let all: [NodeReader] = [
    NodeReader(sequences: "If", as: [BranchOperator.self]) { try $0.branch() },
    NodeReader("Loop", as: [LoopOperator.self, ListWriteOperator.self], .exact) {
      try RegionLoop($0).run()
    },
    NodeReader("Scan", as: [LoopOperator.self, ListWriteOperator.self], .exact) {
      try RegionLoop(scanOf: $0).run()
    },
  ]
}

extension ONNXNode {
  fileprivate func branch() throws -> [ONNXValue] {
    let condition: ONNXTensor = try tensor(0)
    let graphs: [ONNX.GraphProto] = [try graph("then_branch"), try graph("else_branch")]
    for graph in graphs where graph.output.count != outputCount {
      throw invalid(
        "a branch returns \(graph.output.count) values, but the node names \(outputCount).")
    }
    if let isTrue = try constant(condition)?.reals.first {
      let graph: ONNX.GraphProto = graphs[isTrue != 0 ? 0 : 1]
      let inner = try GraphScope(inside: scope, builder: nil)
      try inner.add(graph)
      return try graph.output.map { output in
        if case .sequence(let tensors)? = inner.lookup(output.name) { return .sequence(tensors) }
        return .tensor(try inner.output(output.name))
      }
    }
    var parts: [RegionPart] = []
    for graph in graphs {
      let part = try RegionPart(inside: scope)
      try part.scope.add(graph)
      part.outputs = try graph.output.map { try part.scope.output($0.name) }
      parts.append(part)
    }
    let (arguments, regions) = try RegionPart.regions(parts, scope)
    let made = try builder.add(
      BranchOperator(), [try real(condition)] + arguments, outputs: outputCount, name: name,
      regions: regions)
    return try zip(made, zip(parts[0].outputs, parts[1].outputs)).map { value, sides in
      guard sides.0.element == sides.1.element else {
        throw invalid(
          "its branches return \(sides.0.element) and \(sides.1.element), expected one type.")
      }
      let extents: [[Int?]?] = [
        parts[0].scope.builder.extents(of: sides.0.id),
        parts[1].scope.builder.extents(of: sides.1.id),
      ]
      if let first = extents[0], let second = extents[1], first.count == second.count {
        builder.state(
          zip(first, second).map {
            $0 == $1 ? $0.map { Extent($0) } ?? Extent(from: 0) : Extent(from: 0)
          },
          sides.0.element.heldFromONNX, of: value)
      }
      return .tensor(ONNXTensor(value, sides.0.element))
    }
  }
}
