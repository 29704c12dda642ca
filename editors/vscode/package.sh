#!/usr/bin/env bash
# Packs the extension: writes cufemu-VERSION.vsix to this folder, or to the folder that is given. Needs zip.
set -euo pipefail
target=$(cd "${1:-$(dirname "$0")}" && pwd)
cd "$(dirname "$0")"
value() { sed -n "s/^  \"$1\": \"\(.*\)\",\?$/\1/p" package.json | head -1; }
version=$(value version)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/extension"
cp -r package.json extension.js language-configuration.json README.md syntaxes "$work/extension"
cp ../../LICENSE-MIT "$work/extension/LICENSE.txt"
cat > "$work/[Content_Types].xml" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="json" ContentType="application/json"/>
  <Default Extension="js" ContentType="application/javascript"/>
  <Default Extension="md" ContentType="text/markdown"/>
  <Default Extension="txt" ContentType="text/plain"/>
  <Default Extension="vsixmanifest" ContentType="text/xml"/>
</Types>
END
cat > "$work/extension.vsixmanifest" <<END
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"
    xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="$(value name)" Version="$version" Publisher="$(value publisher)"/>
    <DisplayName>$(value displayName)</DisplayName>
    <Description xml:space="preserve">$(value description)</Description>
    <Categories>Debuggers,Programming Languages,Linters</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="$(sed -n 's/.*"vscode": "\(.*\)".*/\1/p' package.json)"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
END
rm -f "$target/cufemu-$version.vsix"
(cd "$work" && zip -qr "$target/cufemu-$version.vsix" '[Content_Types].xml' extension.vsixmanifest extension)
echo "$target/cufemu-$version.vsix"
