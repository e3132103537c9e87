import Graph
import Operators

/// Operators that concatenate or split tensors along an axis.
enum JoiningReaders {
  static let all: [NodeReader] = [
    NodeReader("Concat", as: [ConcatNDOperator.self], .exact) { node in
      let tensors: [ONNXTensor] = try node.tensors()
      let axis: Int = try node.axis(node.int("axis"), rank: node.rank(tensors[0]))
      guard tensors.count > 1 else { return tensors }
      return [
        ONNXTensor(
          try node.add(ConcatNDOperator(axis: axis), tensors.map(\.id)), tensors[0].element)
      ]
    },
    NodeReader("Split", as: [SplitNDOperator.self, SliceDynamicOperator.self], .exact) {
      try $0.split()
    },
  ]
}

extension ONNXNode {
  fileprivate func split() throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    let axis: Int = try axis(int("axis", or: 0), rank: extents.count)
    let count: Int = outputCount
    let sizes: ONNXTensor? = version < 13 ? nil : try optional(1)
    let given: [Int]? = version < 13 ? ints("split") : try ints(at: 1)
    guard count > 0, given != nil || int("num_outputs", or: count) == count else {
      throw invalid(
        "'num_outputs' is \(int("num_outputs", or: 0)), but \(count) outputs are named.")
    }
    if let given {
      guard given.count == count, given.allSatisfy({ $0 >= 0 }) else {
        throw invalid("the sizes are \(given), expected one for each of \(count) outputs.")
      }
      return count == 1 ? [x] : try parts(of: x, axis: axis, sizes: given)
    }
    if count == 1 { return [x] }
    if let sizes {
      return try parts(of: x, axis: axis, ends: ends(ofSizes: integer(sizes), count: count))
    }
    if let extent = extents[axis], extent % count != 0 {
      // All parts have the size of the first part, but parts at the end may be smaller or empty.
      let size: Int = (extent + count - 1) / count
      let sizes: [Int] = (0..<count).map { max(0, min(size, extent - $0 * size)) }
      return try parts(of: x, axis: axis, sizes: sizes)
    }
    if extents[axis] == nil, has("num_outputs") {
      return try parts(of: x, axis: axis, ends: evenEnds(of: x, axis: axis, count: count))
    }
    let made = try add(SplitNDOperator(axis: axis, parts: .count(count)), [x.id], outputs: count)
    return made.map { ONNXTensor($0, x.element) }
  }

  /// Splits an axis into parts of known sizes. The parts have known extents, even if the extent of the axis is unknown.
  func parts(of x: ONNXTensor, axis: Int, sizes: [Int]) throws -> [ONNXTensor] {
    let made = try add(
      SplitNDOperator(axis: axis, parts: .sizes(sizes)), [x.id], outputs: sizes.count)
    var extents: [Int?] = try extents(x)
    for (part, size) in zip(made, sizes) where builder.extents(of: part) == nil {
      extents[axis] = size
      builder.state(
        extents.map { $0.map { Extent($0) } ?? Extent(from: 0) }, x.element.heldFromONNX, of: part)
    }
    return made.map { ONNXTensor($0, x.element) }
  }

  /// Computes the end of each part. The sizes of the parts are known only at run time.
  func ends(ofSizes sizes: Graph.ValueID, count: Int) throws -> [Graph.ValueID] {
    var ends: [Graph.ValueID] = []
    for index in 0..<count {
      let size = try element(index, of: sizes)
      ends.append(try ends.last.map { try join(.add, $0, size) } ?? size)
    }
    return ends
  }

  /// Computes the end of each part. The extent of the axis is known only at run time. All parts have ⌈extent / count⌉
  /// elements, but parts at the end may have fewer or none.
  private func evenEnds(of x: ONNXTensor, axis: Int, count: Int) throws -> [Graph.ValueID] {
    let padded = try join(.add, extent(of: x.id, axis: axis), constant([count - 1]))
    let size = try join(.floorDivide, padded, constant([count]))
    return try (1...count).map { try join(.multiply, size, constant([$0])) }
  }

  /// Splits an axis into adjacent parts. `ends` holds the end of each part.
  func parts(of x: ONNXTensor, axis: Int, ends: [Graph.ValueID]) throws -> [ONNXTensor] {
    let rank: Int = try rank(x)
    let others: [Bool] = (0..<rank).map { $0 != axis }
    let zero = constant([0])
    func bounds(_ position: Graph.ValueID) throws -> Graph.ValueID {
      try joined((0..<rank).map { $0 == axis ? position : zero })
    }
    return try ends.indices.map { index in
      let part = try add(
        SliceDynamicOperator(beginMasks: others, endMasks: others), x.id,
        bounds(index == 0 ? zero : ends[index - 1]), bounds(ends[index]))
      try stateRank(of: part, like: x)
      return ONNXTensor(part, x.element)
    }
  }
}
