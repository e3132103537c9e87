#!/bin/sh
# Builds and runs a new package that depends on Atelier by `url:` and `branch:`, as Documentation/SwiftPackages.md says.
# Its first program uses the classes that Atelier's build plug-in generates for the package's models, its second program
# is the one of README.md. The dependency is a clone of the last commit; changes that are not committed are not in it.
#
#   Scripts/test_package.sh [path]      # path: depends on this folder by `path:` instead
#
# The build folder is .build/fresh-package, or SCRATCH. The first build takes as long as building Atelier.
set -eu
# The new package needs the plug-in, which the Makefile leaves out.
unset ATELIER_PLUGIN

cd "$(dirname "$0")/.."
root=$PWD
folder=$root/.build/fresh-package-source
scratch=${SCRATCH:-$root/.build/fresh-package}
rm -rf "$folder"
mkdir -p "$folder/app/Sources/app" "$folder/app/Sources/readme"

if [ "${1:-}" = path ]; then
  name=$(basename "$root" | tr '[:upper:]' '[:lower:]')
  dependency=".package(path: \"$root\")"
else
  # SwiftPM names a dependency by the last part of its URL.
  name=atelier
  git clone --quiet --bare "$root" "$folder/atelier"
  git --git-dir="$folder/atelier" update-ref refs/heads/main "$(git rev-parse HEAD)"
  git --git-dir="$folder/atelier" symbolic-ref HEAD refs/heads/main
  dependency=".package(url: \"file://$folder/atelier\", branch: \"main\")"
fi

cp Examples/Scream.mlmodel "$folder/app/Sources/app/Scream.mlmodel"
cat >"$folder/app/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app", dependencies: [$dependency],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: [
        .product(name: "CoreML", package: "$name", condition: .when(platforms: [.linux]))
      ],
      plugins: [.plugin(name: "ModelClasses", package: "$name")]),
    .executableTarget(
      name: "readme",
      dependencies: [
        .product(name: "CoreML", package: "$name", condition: .when(platforms: [.linux])),
        .product(name: "Vision", package: "$name", condition: .when(platforms: [.linux])),
      ]),
  ])
END
cat >"$folder/app/Sources/app/main.swift" <<'END'
import CoreML

let scream = try Scream(configuration: MLModelConfiguration())
var pixels: CVPixelBuffer?
_ = CVPixelBufferCreate(nil, 96, 64, kCVPixelFormatType_32BGRA, nil, &pixels)
if let pixels {
  let painted = try scream.prediction(image: pixels).stylizedImage
  print("painted", CVPixelBufferGetWidth(painted), "x", CVPixelBufferGetHeight(painted))
}
END
# The first block of Swift in README.md is a whole program.
awk '/^```swift$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md >"$folder/app/Sources/readme/main.swift"

swift build --configuration release --package-path "$folder/app" --scratch-path "$scratch"
expect() { # TEXT PROGRAM
  said=$("$scratch/release/$2")
  if [ "$said" != "$1" ]; then
    echo "The package's program '$2' printed '$said', expected '$1'." >&2
    exit 1
  fi
}
expect "painted 96 x 64" app
expect "512 pixels wide" readme
echo "A new package with $dependency was built. Its model's generated class painted, and so did README.md's program."
