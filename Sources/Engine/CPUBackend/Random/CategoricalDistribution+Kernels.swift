import Glibc
import Operators

extension CategoricalDistributionOperator: KernelProvider {
  /// Dense `float32`; sums in `Double`. Scratch: the cumulative weights of one distribution.
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native categorical draws") { [self] (request: KernelRequest) -> Kernel? in
        let input = TensorDescriptor(request.inputs[0].shape)
        let output = TensorDescriptor(request.outputs[0].shape)
        let classes: Int = input.shape[-1]
        let rows: Int = input.shape.count / classes
        let step = ClosureStep { [self] memory in
          // Safe: the planner gives dense float32 memory of the two shapes, and scratch as asked.
          let draw = CategoricalDraw(
            sequence: RandomSequence(seed: seed), count: sampleCount, classes: classes,
            cumulative: memory.scratch.assumingMemoryBound(to: Double.self))
          let values = memory.inputs[0].assumingMemoryBound(to: Float.self)
          let drawn = memory.outputs[0].assumingMemoryBound(to: Float.self)
          for row in 0..<rows {
            let logits = values + row * classes
            draw.weigh { place in
              (isLogits ? Double(logits[place]) : log(Double(logits[place]) + epsilon))
                / temperature
            }
            draw.run(row: row, into: drawn + row * sampleCount)
          }
        }
        return Kernel(
          step, inputs: [input], outputs: [output],
          scratchByteCount: classes * MemoryLayout<Double>.stride)
      }
    ]
  }
}

/// Draws from one distribution after the other.
private struct CategoricalDraw {
  let sequence: RandomSequence
  let count: Int
  let classes: Int
  let cumulative: UnsafeMutablePointer<Double>

  /// Sums e^logit over the classes.
  func weigh(_ logit: (Int) -> Double) {
    var largest = -Double.infinity
    for place in 0..<classes {
      cumulative[place] = logit(place)
      largest = max(largest, cumulative[place])
    }
    var reached: Double = 0
    for place in 0..<classes {
      reached += exp(cumulative[place] - largest)
      cumulative[place] = reached
    }
  }

  /// Writes the classes that a row draws.
  func run(row: Int, into drawn: UnsafeMutablePointer<Float>) {
    for place in 0..<count {
      let number: Double = sequence.unit(row * count + place) * cumulative[classes - 1]
      var (low, high) = (0, classes - 1)
      while low < high {
        let middle: Int = (low + high) / 2
        if number < cumulative[middle] { high = middle } else { low = middle + 1 }
      }
      drawn[place] = Float(low)
    }
  }
}
