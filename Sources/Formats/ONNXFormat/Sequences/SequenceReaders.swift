import Graph
import Operators

/// Rows of tensors. They are taken apart while the model is read, so that how many tensors there are, and which of them a
/// node means, must follow from constants and shapes.
enum SequenceReaders {
  static let all: [NodeReader] = [
    NodeReader(sequences: "SequenceConstruct", as: []) { [.sequence(try $0.tensors())] },
    NodeReader(sequences: "SequenceEmpty", as: []) { _ in [.sequence([])] },
    NodeReader(sequences: "SequenceInsert", as: []) { node in
      var tensors: [ONNXTensor] = try node.sequence(0)
      let count: Int = tensors.count
      tensors.insert(try node.tensor(1), at: try node.place(2, in: count, upTo: count) ?? count)
      return [.sequence(tensors)]
    },
    NodeReader(sequences: "SequenceErase", as: []) { node in
      var tensors: [ONNXTensor] = try node.sequence(0)
      let last: Int = tensors.count - 1
      tensors.remove(at: try node.place(1, in: tensors.count, upTo: last) ?? last)
      return [.sequence(tensors)]
    },
    NodeReader("SequenceAt", as: [], .exact) { node in
      let tensors: [ONNXTensor] = try node.sequence(0)
      guard let place = try node.place(1, in: tensors.count, upTo: tensors.count - 1) else {
        throw node.invalid("input 2 is missing.")
      }
      return [tensors[place]]
    },
    NodeReader("SequenceLength", as: [], .exact) { node in
      [ONNXTensor(node.constant(Double(try node.sequence(0).count)), .int64)]
    },
    NodeReader("ConcatFromSequence", as: [ConcatNDOperator.self], .exact) { node in
      let tensors: [ONNXTensor] = try node.sequence(0)
      guard let first = tensors.first else { throw node.invalid("the sequence is empty.") }
      let isNew: Bool = node.flag("new_axis")
      let rank: Int = try node.rank(first) + (isNew ? 1 : 0)
      let axis: Int = try node.axis(node.int("axis"), rank: rank)
      let parts: [Graph.ValueID] = try tensors.map {
        isNew ? try node.add(ExpandDimsOperator(axes: [axis]), $0.id) : $0.id
      }
      guard parts.count > 1 else { return [ONNXTensor(parts[0], first.element)] }
      return [ONNXTensor(try node.add(ConcatNDOperator(axis: axis), parts), first.element)]
    },
    NodeReader(sequences: "SplitToSequence", as: [SplitNDOperator.self]) {
      [.sequence(try $0.parts())]
    },
  ]
}

extension ONNXNode {
  /// A place in a row of `count`, counted from the end where it is negative; nil where it is left out.
  fileprivate func place(_ position: Int, in count: Int, upTo last: Int) throws -> Int? {
    guard last >= 0 else { throw invalid("the sequence is empty.") }
    guard let numbers = try knownInts(at: position, "the place in the sequence") else { return nil }
    let number: Int = numbers.first ?? 0
    let place: Int = number < 0 ? number + count : number
    guard (0...last).contains(place) else {
      throw invalid("the place is \(number), expected \(-count) to \(last).")
    }
    return place
  }

  /// A tensor cut along an axis.
  fileprivate func parts() throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    let axis: Int = try axis(int("axis", or: 0), rank: extents.count)
    guard let extent = extents[axis] else {
      throw unsupported("the extent of the axis \(axis) is not known before the network runs.")
    }
    let given: [Int]? = try knownInts(at: 1, "the list of sizes")
    let isList: Bool = try given != nil && rank(tensor(1)) > 0
    let sizes: [Int]
    if let given, isList {
      guard given.allSatisfy({ $0 >= 0 }), given.reduce(0, +) == extent else {
        throw invalid("the sizes are \(given), expected \(extent) together.")
      }
      sizes = given
    } else {
      let each: Int = given?.first ?? 1
      guard each > 0, extent > 0, (extent + each - 1) / each <= 1 << 16 else {
        throw invalid("\(extent) are split into parts of \(each).")
      }
      sizes = stride(from: 0, to: extent, by: each).map { min(each, extent - $0) }
    }
    guard !sizes.isEmpty else { throw invalid("there are no parts.") }
    var made: [Graph.ValueID] =
      sizes.count == 1
      ? [x.id]
      : try add(
        SplitNDOperator(axis: axis, parts: .sizes(sizes)), [x.id], outputs: sizes.count)
    if given == nil, !flag("keepdims", or: true) {
      made = try made.map { try add(SqueezeOperator(axes: [axis]), $0) }
    }
    return made.map { ONNXTensor($0, x.element) }
  }
}
