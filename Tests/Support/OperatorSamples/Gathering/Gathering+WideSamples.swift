import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

// Samples for the native kernels. They have more elements than one thread processes, odd sizes and repeated indices.
// All indices are small enough that bfloat16 represents them exactly.

extension GatherOperator {
  static var wideSamples: [OperatorSample] {
    [
      OperatorSample(
        "many rows", layer(axis: 0),
        inputs: [OperatorSample.random([129, 67]), ([2, 301], .integers(-128...128))],
        tolerance: .exact),
      OperatorSample(
        "many elements of a middle axis", layer(axis: -2),
        inputs: [OperatorSample.random([3, 65, 1]), ([7001], .integers(-64...64))],
        tolerance: .exact),
      OperatorSample(
        "long slices", layer(axis: 0),
        inputs: [OperatorSample.random([3, 20_011]), OperatorSample.text([4], "2 0 -2 2")],
        tolerance: .exact),
    ]
  }

  private static func layer(axis: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.gather(.making { $0.axis = axis }))
  }
}

extension GatherNDOperator {
  static var wideSamples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.gatherND(.init()))
    return [
      OperatorSample(
        "many elements", layer,
        inputs: [OperatorSample.random([33, 65]), ([9001, 2], .integers(-32...32))],
        tolerance: .exact),
      OperatorSample(
        "many slices", layer,
        inputs: [OperatorSample.random([33, 17, 19]), ([501, 2], .integers(-16...16))],
        tolerance: .exact),
      OperatorSample(
        "a long slice", layer,
        inputs: [OperatorSample.random([2, 3, 17_001]), OperatorSample.text([1, 1], "-1")],
        tolerance: .exact),
    ]
  }
}

extension GatherAlongAxisOperator {
  static var wideSamples: [OperatorSample] {
    [
      OperatorSample(
        "long rows", layer(axis: -1),
        inputs: [OperatorSample.random([7, 65]), ([7, 5003], .integers(-64...64))],
        tolerance: .exact),
      OperatorSample(
        "many columns", layer(axis: 1),
        inputs: [OperatorSample.random([5, 9, 333]), ([5, 13, 333], .integers(-8...8))],
        tolerance: .exact),
    ]
  }

  private static func layer(axis: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.gatherAlongAxis(.making { $0.axis = axis }))
  }
}

/// Returns one sample for each scatter mode. Factors and divisors are close to 1. So after a hundred updates, an
/// element has neither underflowed nor overflowed.
private func everyMode(
  _ make: (_ name: String, _ mode: Spec.ScatterMode, _ updates: OperatorSample.Fill) ->
    OperatorSample
) -> [OperatorSample] {
  [
    make("many updates of one element", .scatterUpdate, .uniform(-1...1)),
    make("many updates are added", .scatterAdd, .uniform(-1...1)),
    make("many updates are subtracted", .scatterSub, .uniform(-1...1)),
    make("one element times many updates", .scatterMul, .uniform(0.98...1.02)),
    make("one element divided by many updates", .scatterDiv, .uniform(0.98...1.02)),
    make("the maximum of many updates", .scatterMax, .uniform(-1...1)),
    make("the minimum of many updates", .scatterMin, .uniform(-1...1)),
  ]
}

extension ScatterOperator {
  static var wideSamples: [OperatorSample] {
    let columns: [OperatorSample] = everyMode { name, mode, updates in
      OperatorSample(
        name, layer(axis: 1, mode),
        inputs: [
          OperatorSample.random([5, 33, 41]), ([301], .integers(-32...32)),
          (Shape([5, 301, 41]), updates),
        ],
        tolerance: .accumulation)
    }
    return columns + [
      OperatorSample(
        "long slices are added", layer(axis: 0, .scatterAdd),
        inputs: [
          OperatorSample.random([3, 5003]), OperatorSample.text([4], "2 0 -1 0"),
          OperatorSample.random([4, 5003]),
        ],
        tolerance: .accumulation),
      OperatorSample(
        "the maximum ignores NaN updates and keeps NaN elements", layer(axis: 0, .scatterMax),
        inputs: [
          ([4], .values([1, .nan, 2, 3])), OperatorSample.text([4], "0 1 2 2"),
          ([4], .values([.nan, 5, 4, .nan])),
        ],
        expected: [ReferenceTensor([4], [1, .nan, 4, 3])], tolerance: .exact),
    ]
  }

  private static func layer(axis: Int64, _ mode: Spec.ScatterMode) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .scatter(
        .making {
          $0.axis = axis
          $0.mode = mode
        }))
  }
}

extension ScatterNDOperator {
  static var wideSamples: [OperatorSample] {
    let elements: [OperatorSample] = everyMode { name, mode, updates in
      OperatorSample(
        name, layer(mode),
        inputs: [
          OperatorSample.random([33, 17]), ([5003, 2], .integers(-16...16)),
          (Shape([5003]), updates),
        ],
        tolerance: .accumulation)
    }
    return elements + [
      OperatorSample(
        "long slices are added", layer(.scatterAdd),
        inputs: [
          OperatorSample.random([3, 2, 3001]), OperatorSample.text([4, 2], "2 0 0 1 -1 0 0 -1"),
          OperatorSample.random([4, 3001]),
        ],
        tolerance: .accumulation)
    ]
  }

  private static func layer(_ mode: Spec.ScatterMode) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(.scatterND(.making { $0.mode = mode }))
  }
}

extension ScatterAlongAxisOperator {
  static var wideSamples: [OperatorSample] {
    let rows: [OperatorSample] = everyMode { name, mode, updates in
      OperatorSample(
        name, layer(axis: -1, mode),
        inputs: [
          OperatorSample.random([9, 65]), ([9, 2003], .integers(-64...64)),
          (Shape([9, 2003]), updates),
        ],
        tolerance: .accumulation)
    }
    return rows + [
      OperatorSample(
        "many columns", layer(axis: 1, .scatterUpdate),
        inputs: [
          OperatorSample.random([2, 5, 2501]), ([2, 9, 2501], .integers(-4...4)),
          OperatorSample.random([2, 9, 2501]),
        ],
        tolerance: .exact)
    ]
  }

  private static func layer(axis: Int64, _ mode: Spec.ScatterMode) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .scatterAlongAxis(
        .making {
          $0.axis = axis
          $0.mode = mode
        }))
  }
}

extension OneHotOperator {
  static var wideSamples: [OperatorSample] {
    [
      OperatorSample(
        "many vectors", layer(size: 37, axis: -1), inputs: [([1501], .integers(-3...40))],
        tolerance: .exact),
      OperatorSample(
        "along a middle axis", layer(size: 21, axis: 1),
        inputs: [([3, 29, 31], .integers(-1...22))],
        tolerance: .exact),
      OperatorSample(
        "fractions and not-a-number", layer(size: 3, axis: -1),
        inputs: [([5], .values([0.75, -0.5, .nan, .infinity, 2.5]))],
        expected: [ReferenceTensor([5, 3], numbers: "5 -1 -1 5 -1 -1 5 -1 -1 -1 -1 -1 -1 -1 5")],
        tolerance: .exact),
    ]
  }

  private static func layer(size: UInt64, axis: Int64) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .oneHot(
        .making {
          ($0.oneHotVectorSize, $0.axis, $0.onValue, $0.offValue) = (size, axis, 5, -1)
        }))
  }
}

extension WhereNonZeroOperator {
  static var wideSamples: [OperatorSample] {
    [
      OperatorSample(
        "many elements", Spec.NeuralNetworkLayer(.whereNonZero(.init())),
        inputs: [([29, 31, 47], .integers(-1...1))], tolerance: .exact)
    ]
  }
}

extension WhereBroadcastableOperator {
  static var wideSamples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.whereBroadcastable(.init()))
    let infinite: Double = .infinity
    return [
      OperatorSample(
        "images and a mask", layer,
        inputs: [
          ([2, 1, 33, 47], .integers(0...1)), OperatorSample.random([2, 5, 33, 47]),
          OperatorSample.random([1]),
        ],
        tolerance: .exact),
      OperatorSample(
        "values that are not selected have no effect", layer,
        inputs: [
          ([4], .values([1, 0, .nan, -0.0])), ([4], .values([1, .nan, 3, -infinite])),
          ([4], .values([.nan, 2, infinite, -4])),
        ],
        expected: [ReferenceTensor([4], [1, 2, 3, -4])], tolerance: .exact),
    ]
  }
}
